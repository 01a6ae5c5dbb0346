// The panel that chooses what is shown: names, joints, traces, screw axes.

const element = (kind, text) => Object.assign(document.createElement(kind), text === undefined ? {} : { textContent: text });

function tick(panel, text, on, change) {
  const label = element("label"), box = element("input");
  box.type = "checkbox";
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  label.append(box, ` ${text}`);
  panel.append(label);
  return (value) => { box.checked = value; change(value); };
}

/// The points and bodies whose paths can be drawn. `on`: the path is drawn at first.
export function traceable(data) {
  const few = data.points.length === 0 && data.bodies.length <= 3;
  const all = data.points.map((point) => ({ name: point.name, point, on: true }));
  data.bodies.slice(0, 200).forEach((body, i) => all.push({
    name: body.name, point: { body: i, p: [0, 0, 0] }, on: few || (data.points.length === 0 && i === data.bodies.length - 1),
  }));
  return all;
}

export function makeOptions(panel, data, view) {
  panel.append(element("h2", "Shown"));
  const set = {
    names: tick(panel, "names of the bodies (n)", view.labels.on, view.names),
    joints: tick(panel, "joints (j)", true, view.joints),
    floor: tick(panel, "floor", true, view.floor),
  };
  panel.append(element("h2", "Screw axes (s)"));
  const select = element("select");
  select.id = "screws";
  select.setAttribute("aria-label", "Screw axes");
  select.append(new Option("none", "none"), new Option("of every body", "all"));
  data.bodies.slice(0, 500).forEach((body, i) => select.append(new Option(`of ${body.name}`, i)));
  select.addEventListener("change", () => view.screws(select.value));
  panel.append(select);
  set.screws = (value) => { select.value = value; view.screws(value); };
  set.screwsNow = () => select.value;
  panel.append(element("h2", "Traces (t)"));
  const traces = traceable(data);
  const shown = traces.map((trace) => trace.on);
  const show = (k, on) => { shown[k] = on; view.trace(k, traces[k].point, on); };
  const ticks = traces.map((trace, k) => tick(panel, trace.name, trace.on, (on) => show(k, on)));
  traces.forEach((trace, k) => { if (trace.on) show(k, true); });
  const all = () => traces.flatMap((_, k) => (shown[k] ? [k] : []));
  let last = all();
  set.traces = () => {  // hides the traces that are shown, or shows the traces that were hidden last
    const now = all();
    if (now.length > 0) last = now;
    last.forEach((k) => ticks[k](now.length === 0));
  };
  return set;
}
