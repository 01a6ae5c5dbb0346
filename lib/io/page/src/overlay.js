// Flat drawings in front of the view: names of bodies, and the axes and gravity in the corner.

export class Labels {
  constructor(element, data) {
    this.spans = data.bodies.map((body) => {
      const span = document.createElement("span");
      span.textContent = body.name;
      element.append(span);
      return span;
    });
    this.on = data.bodies.length <= 14;
  }

  /// Names beside their bodies, nearest first; a name that would cover another name is left out.
  place(space) {
    const taken = [];
    const order = this.spans.map((span, i) => ({ span, i, at: space.project(space.motion.place.subarray(3 * i, 3 * i + 3)) }))
      .sort((a, b) => a.at.z - b.at.z);
    for (const { span, at } of order) {
      span.hidden = !this.on || at.z >= 1;
      if (span.hidden) continue;
      const width = span.offsetWidth, height = span.offsetHeight;
      const x = Math.max(2, Math.min(at.x + 10, space.width - width - 2)), y = at.y - height - 6;
      const free = y > 0 && y + height < space.height && !taken.some((box) =>
        x < box[0] + box[2] && box[0] < x + width && y < box[1] + box[3] && box[1] < y + height);
      span.style.visibility = free ? "visible" : "hidden";
      span.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
      if (free) taken.push([x, y, width, height]);
    }
  }
}

export function drawTriad(canvas, camera, gravity) {
  const ratio = Math.min(2, window.devicePixelRatio || 1), side = 96;
  canvas.width = canvas.height = side * ratio;
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const paper = canvas.getContext("2d");
  paper.scale(ratio, ratio);
  paper.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  paper.textAlign = "center";
  paper.textBaseline = "middle";
  const e = camera.matrixWorld.elements, middle = side / 2;
  const seen = (d) => [d[0] * e[0] + d[1] * e[1] + d[2] * e[2], d[0] * e[4] + d[1] * e[5] + d[2] * e[6], d[0] * e[8] + d[1] * e[9] + d[2] * e[10]];
  const arrows = [["x", [1, 0, 0], "#d1453b"], ["y", [0, 1, 0], "#2f9e54"], ["z", [0, 0, 1], "#3f78d8"]];
  const size = Math.hypot(...gravity);
  if (size > 0) arrows.push(["g", gravity.map((g) => g / size), ink]);
  for (const [name, direction, color] of arrows.map((a) => [...a, seen(a[1])[2]]).sort((a, b) => a[3] - b[3])) {
    const [x, y] = seen(direction), length = 30, tip = [middle + length * x, middle - length * y];
    paper.strokeStyle = paper.fillStyle = color;
    paper.lineWidth = name === "g" ? 1.5 : 2;
    paper.setLineDash(name === "g" ? [3, 2] : []);
    paper.beginPath();
    paper.moveTo(middle, middle);
    paper.lineTo(...tip);
    paper.stroke();
    const reach = Math.hypot(x, y) < 0.25 ? 12 : 10, flat = Math.hypot(x, y) || 1;
    const beside = name === "g" ? 9 : 0; // gravity is usually along an axis, whose name has the same place
    paper.fillText(name, tip[0] + reach * x / flat + beside, tip[1] - reach * y / flat);
  }
}
