// The replay of one result. `window.replay` drives it from outside.

import { Chart, entries } from "./charts.js";
import { clockText, readData, short } from "./data.js";
import { Motion } from "./motion.js";
import { makeOptions } from "./options.js";
import { drawTriad, Labels } from "./overlay.js";
import { Player } from "./player.js";
import { Space } from "./space.js";

const $ = (id) => document.getElementById(id);
const data = readData();
const motion = new Motion(data);
const fact = (name) => data.facts.find((one) => one.name === name)?.value;

function writeHeader() {
  $("title").textContent = data.title;
  const words = ["method", "tolerance", "step", "group", "formulation", "equations", "treatment"]
    .filter((name) => fact(name)).map((name) => (name === "method" ? fact(name) : name === "step" ? `step ${fact(name)} s` : `${name} ${fact(name)}`));
  words.push(data.frames < data.samples ? `thinned out: ${data.frames} of ${data.samples} samples are shown` : `all ${data.samples} samples`);
  words.push(`Torsor ${fact("version") ?? ""}`.trim());
  const status = fact("status");
  const warnings = [];
  if (status === "event") words.push(fact("message") ? `ended as asked, by ${fact("message")} s` : "ended as asked, by an event");
  else if (status && status !== "reached-end") {
    const what = status === "energy-lost" ? "The errors of the steps do not explain the drift of energy" : "The run ended early";
    warnings.push(`${what}: ${status}. ${fact("message") ?? ""}`);
  }
  $("facts").textContent = words.join(" \u00b7 ");
  $("warning").textContent = warnings.join(" ");
  $("warning").hidden = warnings.length === 0;
  const notes = [fact("notes"), data.chart && data.bodies.length > 0 && "particles are shown; masses that a metric gives have no place in space."];
  $("note").textContent = notes.filter(Boolean).map((one) => `Note: ${one}`).join(" ");
  $("note").hidden = $("note").textContent === "";
  $("note").title = $("note").textContent;
}

function makeSpace() {
  if (data.bodies.length === 0) {
    $("message").textContent = "Nothing in this scene can be drawn: it is in coordinates and has no particles. Its curves are below.";
    document.body.classList.add("chart-scene");
    return null;
  }
  try {
    return new Space($("space"), data, motion);
  } catch (error) {
    $("message").textContent = `This browser does not draw in space (${error.message}); the curves are below.`;
    return null;
  }
}

writeHeader();
const space = makeSpace();
$("message").hidden = space !== null;
for (const id of ["space", "labels", "triad", "scale"]) $(id).hidden = space === null;
for (const id of ["fit", "more"]) $(id).hidden = space === null;
const labels = space ? new Labels($("labels"), data) : null;
if (space?.cell) $("scale").textContent = `grid ${short(space.cell)} m`;

const player = new Player(motion, () => queue());
const all = entries(data, motion);
const find = (test, otherwise) => { const i = all.findIndex(test); return i < 0 ? otherwise : i; };
const second = find((one) => one.kind === "chosen", find((one) => one.label.startsWith("constraint residual"), find((one) => one.kind === "motion", 0)));
const charts = [0, second].map((first) => new Chart($("charts"), all, data, first, (t) => player.seek(t)));

function tellScrew() {
  const chosen = options?.screwsNow() ?? "none", i = Number(chosen);
  $("screw").hidden = chosen === "none" || chosen === "all";
  if ($("screw").hidden) return;
  const { turn, speed, pitch } = space.screws.of(i);
  $("screw").textContent = `${data.bodies[i].name}: turn ${short(turn)} rad/s, `
    + (pitch === null ? `about its mass centre, which moves at ${short(speed)} m/s` : pitch === Infinity ? `translation at ${short(speed)} m/s` : `pitch ${short(pitch)} m/rad`);
}

let queued = false;
function queue() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(show);
}
function show() {
  queued = false;
  if (space) {
    space.show(player.time);
    labels.place(space);
    drawTriad($("triad"), space.camera, data.gravity);
    tellScrew();
  }
  for (const chart of charts) chart.show(player.time, motion.frame(player.time));
  $("clock").textContent = clockText(player.time, motion.begin, motion.end);
  $("scrub").value = player.time;
  $("play").textContent = player.playing ? "Pause" : "Play";
  $("loop").setAttribute("aria-pressed", player.loop);
  $("more").setAttribute("aria-pressed", !$("options").hidden);
  $("speed").value = player.speed;
}

const options = space && makeOptions($("options"), data, {
  labels,
  names: (on) => { labels.on = on; queue(); },
  joints: (on) => { space.joints.visible = on; queue(); },
  floor: (on) => { if (space.grid) space.grid.visible = on; $("scale").hidden = !on; queue(); },
  trace: (key, point, on) => { space.traces.set(key, point, on); queue(); },
  screws: (value) => { space.screws.set(value === "none" ? [] : value === "all" ? data.bodies.map((_, i) => i) : [Number(value)]); queue(); },
});

function resize() {
  if (space) {
    const { clientWidth, clientHeight } = $("stage");
    const first = space.width === undefined;
    space.resize(clientWidth, clientHeight);
    if (first || !space.moved) space.fit();
  }
  const two = getComputedStyle(charts[1].figure).display !== "none";
  const width = ($("charts").clientWidth - 16 - (two ? 8 : 0)) / (two ? 2 : 1);
  const height = space ? (window.innerHeight < 620 ? 110 : 142) : Math.max(160, window.innerHeight - $("charts").getBoundingClientRect().top - 52);
  for (const chart of charts) chart.resize(width, height);
  queue();
}
function recolor() {
  space?.recolor();
  for (const chart of charts) chart.recolor();
  queue();
}

for (const speed of player.speeds) $("speed").append(new Option(`\u00d7 ${speed}`, speed));
Object.assign($("scrub"), { min: motion.begin, max: motion.end });
$("scrub").addEventListener("input", () => { player.pause(); player.seek(Number($("scrub").value)); });
$("speed").addEventListener("change", () => { player.speed = Number($("speed").value); });

const keys = [
  [[" "], "play", "play or pause", () => player.toggle()],
  [["ArrowLeft"], "back", "one frame back; with shift ten", (event) => player.step(event.shiftKey ? -10 : -1)],
  [["ArrowRight"], "forward", "one frame on; with shift ten", (event) => player.step(event.shiftKey ? 10 : 1)],
  [["Home"], null, "to the beginning", () => player.seek(motion.begin)],
  [["End"], null, "to the end", () => player.seek(motion.end)],
  [["-"], null, "slower", () => player.faster(-1)],
  [["+", "="], null, "faster", () => player.faster(1)],
  [["l"], "loop", "begin again at the end, or not", () => { player.loop = !player.loop; queue(); }],
  [["f"], "fit", "show everything", () => { if (space) space.moved = false, space.fit(), queue(); }],
  [["n"], null, "names", () => options?.names(!labels.on)],
  [["j"], null, "joints", () => options?.joints(!space.joints.visible)],
  [["t"], null, "traces", () => options?.traces()],
  [["s"], null, "screw axes", () => options?.screws(options.screwsNow() === "none" ? (data.bodies.length > 1 ? "all" : "0") : "none")],
  [["o"], "more", "choose what is shown", () => { if (space) $("options").hidden = !$("options").hidden, queue(); }],
  [["?"], "help", "these keys", () => { if ($("keys").open) $("keys").close(); else $("keys").showModal(); }],
];
const shown = { " ": "space", ArrowLeft: "\u2190", ArrowRight: "\u2192" };
const list = $("keys").appendChild(document.createElement("table"));
for (const [names, button, what, action] of keys) {
  const row = list.insertRow();
  row.insertCell().appendChild(document.createElement("kbd")).textContent = shown[names[0]] ?? names[0];
  row.insertCell().textContent = what;
  if (button) $(button).addEventListener("click", action);
}
$("keys").addEventListener("click", () => $("keys").close());
window.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLSelectElement || (event.target === $("scrub") && event.key.startsWith("Arrow"));
  const pressed = event.key === " " && (event.target instanceof HTMLButtonElement || event.target.type === "checkbox");
  if (typing || pressed || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = keys.find(([names]) => names.includes(event.key));
  if (!key) return;
  event.preventDefault();
  key[3](event);
});

if (space) {
  space.changed = queue;
  space.controls.addEventListener("start", () => { space.moved = true; });
  space.recolor();
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
new ResizeObserver(resize).observe($("stage"));
window.addEventListener("resize", resize);
resize();
show();

window.replay = {
  data,
  get time() { return player.time; },
  get playing() { return player.playing; },
  get frames() { return data.times.length; },
  play: () => player.play(),
  pause: () => player.pause(),
  seek(t) { player.seek(t); show(); },
  place: (i) => Array.from(motion.place.subarray(3 * i, 3 * i + 3)),
  /// The position of the mass centre of a body on the page, in CSS pixels.
  project(i) {
    const at = space.project(motion.place.subarray(3 * i, 3 * i + 3)), box = $("space").getBoundingClientRect();
    return { x: box.left + at.x, y: box.top + at.y };
  },
  link: (i) => space.links.ends(i),
  get glyphs() { return space.jointGroups.length; },
  get axes() { return charts.map(({ chart }) => chart.axes[0].label); },
  get widths() { return charts.map(({ chart }) => chart.series.slice(1).map((line) => line.width)); },
  showBodies(on) {
    for (const group of space.groups) group.visible = on;
    show();
  },
};
document.documentElement.dataset.state = "ready";
