// Curves below the view: energy drift and residuals, chosen columns, and the motions of bodies and points.

import uPlot from "uplot";
import { least, most, short, ticksIn, tickTexts, within } from "./data.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const strokes = ["#3d7edb", "#e0803a", "#2f9e74"];
const names = {
  drift: "energy drift", position_residual: "constraint residual, positions",
  velocity_residual: "constraint residual, velocities", acceleration_residual: "residual of the equations",
};

/// Everything that can be drawn: a label, a unit and one to three lines.
export function entries(data, motion) {
  const all = data.curves.map((curve) => ({
    label: names[curve.name] ?? curve.name, unit: curve.unit, kind: curve.kind, lines: [[curve.name, () => curve.values]],
  }));
  const frames = data.times.length, count = data.bodies.length;
  const column = (source, width, body, k) => () => Float64Array.from({ length: frames }, (_, f) => source[width * (f * count + body) + k]);
  const three = (label, unit, source, width, body, first) => all.push({
    label, unit, kind: "motion", lines: ["x", "y", "z"].map((axis, k) => [axis, column(source, width, body, first + k)]),
  });
  for (const point of data.points)
    all.push({ label: `position of ${point.name}`, unit: "m", kind: "motion", lines: ["x", "y", "z"].map((axis, k) => [axis, () => {
      const now = motion.time;
      const values = Float64Array.from(data.times, (t) => (motion.at(t), motion.point(point.body, point.p)[k]));
      motion.at(now);
      return values;
    }]) });
  data.bodies.forEach((body, i) => {
    three(`position of ${body.name}`, "m", data.poses, 7, i, 0);
    three(`velocity of ${body.name}`, "m/s", data.twists, 6, i, 0);
    if (!body.particle) three(`angular velocity of ${body.name}, body axes`, "rad/s", data.twists, 6, i, 3);
  });
  return all;
}

export class Chart {
  constructor(holder, all, data, first, seek) {
    Object.assign(this, { all, data, seek });
    this.figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    this.select = document.createElement("select");
    this.select.setAttribute("aria-label", "Curve");
    all.forEach((entry, i) => this.select.append(new Option(entry.unit ? `${entry.label} (${entry.unit})` : entry.label, i)));
    this.value = document.createElement("output");
    this.plot = document.createElement("div");
    caption.append(this.select, this.value);
    this.figure.append(caption, this.plot);
    holder.append(this.figure);
    this.select.addEventListener("change", () => this.choose(Number(this.select.value)));
    this.now = document.createElement("div");
    this.now.className = "now";
    this.choose(first);
  }

  choose(i) {
    this.index = i;
    this.select.value = i;
    this.values = this.all[i].lines.map(([, values]) => values());
    this.#draw();
  }

  /// Lines that coincide within half a pixel are drawn one inside the other, the first as the widest.
  #widths() {
    const all = this.values.flatMap((values) => Array.from(values).filter(Number.isFinite));
    const near = all.length ? (most(all) - least(all)) / 200 : 0;
    const same = (a, b) => a.every((one, i) => Math.abs(one - b[i]) <= near);
    return this.values.map((one, k) => 1.5 + 2 * this.values.slice(k + 1).filter((later) => same(one, later)).length);
  }

  #draw() {
    this.chart?.destroy();
    const { lines } = this.all[this.index];
    const widths = this.#widths();
    const axis = { stroke: () => css("--soft"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 },
      font: "11px system-ui, 'DejaVu Sans', sans-serif" };
    const texts = (_, ticks) => tickTexts(ticks, ticks[1] - ticks[0]);
    // uPlot itself places no ticks closer than 1e-17. Its step and the space between ticks give the length, px.
    const splits = (_, index, low, high, step, space) => ticksIn(low, high, (high - low) / step * space / (index === 0 ? Math.max(50, inTime + 14) : 30));
    const room = (list) => 6.6 * most(list.map((text) => text.length)); // px
    const times = [this.data.times[0], this.data.times.at(-1)], inTime = room(tickTexts(times, (times[1] - times[0]) / 8));
    this.chart = new uPlot({
      padding: [8, Math.max(10, inTime / 2 + 2), 0, 0], width: this.width ?? 300, height: this.height ?? 120, legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => within(low, high) } },
      axes: [
        { ...axis, size: 28, label: "t (s)", labelSize: 15, labelFont: axis.font, values: texts, splits },
        { ...axis, size: (_, shown) => Math.max(62, room(shown ?? []) + 18), values: texts, splits },
      ],
      series: [{}, ...lines.map(([label], k) => ({ label, stroke: lines.length > 1 ? strokes[k] : () => css("--accent"), width: widths[k], points: { show: false } }))],
    }, [this.data.times, ...this.values], this.plot);
    const over = this.chart.over, to = (event) => this.seek(this.chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    over.style.touchAction = "pan-y";
    over.addEventListener("pointerdown", (event) => { over.setPointerCapture(event.pointerId); to(event); });
    over.addEventListener("pointermove", (event) => { if (event.buttons & 1) to(event); });
    over.append(this.now);
    if (this.time !== undefined) this.show(this.time, this.frame);
  }

  resize(width, height) {
    this.width = Math.max(160, Math.floor(width));
    this.height = Math.max(80, Math.floor(height));
    this.chart.setSize({ width: this.width, height: this.height });
    if (this.time !== undefined) this.show(this.time, this.frame);
  }

  recolor() { this.chart.redraw(false); }

  show(time, frame) {
    this.time = time;
    this.frame = frame;
    this.now.style.left = `${this.chart.valToPos(time, "x")}px`;
    const { lines, unit } = this.all[this.index];
    const texts = this.values.map((values, k) => {
      const span = document.createElement("span");
      span.textContent = `${lines.length > 1 ? `${lines[k][0]} ` : ""}${short(values[frame], lines.length > 1 ? 3 : 4)} `;
      if (lines.length > 1) span.style.color = strokes[k];
      return span;
    });
    this.value.replaceChildren(...texts, unit);
  }
}
