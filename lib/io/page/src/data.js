// The data of the page: JSON in a <script>, numbers as base64.

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
export const floats = (text) => new Float32Array(bytes(text));
export const doubles = (text) => new Float64Array(bytes(text));

export function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.times = doubles(data.times);
  for (const curve of data.curves) curve.values = doubles(curve.values);
  const positions = doubles(data.positions), attitudes = floats(data.attitudes);
  data.poses = new Float64Array(positions.length / 3 * 7); // of each body: x y z and the quaternion x y z w
  for (let i = 0; i < positions.length / 3; ++i) {
    data.poses.set(positions.subarray(3 * i, 3 * i + 3), 7 * i);
    data.poses.set(attitudes.subarray(4 * i, 4 * i + 4), 7 * i + 3);
  }
  data.twists = floats(data.twists);
  for (const line of data.lines) for (const end of [line.a, line.b]) if (end.path) end.path = doubles(end.path);
  return data;
}

/// The least and the greatest number of a list of any length.
export const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
export const most = (list) => list.reduce((a, b) => Math.max(a, b), -Infinity);

/// The range of an axis for values from low to high: a little wider, and of a length that tells its ticks apart.
export function within(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const room = high - low > 1e-13 * size ? 0.06 * (high - low) : size > 0 ? 0.1 * size : 1;
  return [low - room, high + room];
}

/// Round numbers from low to high, at most `count` or so, and at least two.
export function ticksIn(low, high, count) {
  const rough = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough));
  const steps = [0.5, 1, 2, 2.5, 5, 10].map((one) => one * power);
  const ends = (step) => [Math.ceil(low / step - 1e-6), Math.floor(high / step + 1e-6)];
  let k = steps.findIndex((one) => one >= rough * (1 - 1e-9));
  while (k > 0 && ends(steps[k])[1] <= ends(steps[k])[0]) --k;
  const step = steps[k] ?? rough, [first, last] = ends(step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => (first + k) * step);
}

/// The numbers at ticks `step` apart, with as many digits as tell them apart.
export function tickTexts(ticks, step) {
  const size = most(ticks.map(Math.abs)), place = Math.floor(Math.log10(step) + 1e-2);
  const half = Math.abs(step / 10 ** place - 2.5) < 0.1 ? 1 : 0, digits = Math.floor(Math.log10(size)) - place + 1 + half;
  if (!(size > 0) || !(step > 0) || digits <= 3) return ticks.map((x) => short(x));
  if (size < 1e-3 || size >= 1e15) return ticks.map((x) => (x === 0 ? "0" : Number(x.toPrecision(Math.min(digits, 17))).toExponential()));
  return ticks.map((x) => (x === 0 ? "0" : x.toFixed(Math.min(100, Math.max(0, half - place)))));
}

/// The time of the clock and the end of the run, with the digits that show a thousandth of the run.
export function clockText(time, begin, end) {
  const span = Math.max(end - begin, 1e-300), digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(span))));
  if (digits > 6 && Math.max(Math.abs(begin), Math.abs(end)) < 1e-3) return `${time.toExponential(3)} of ${short(end)} s`;
  return `${time.toFixed(digits)} of ${Number(end.toFixed(digits))} s`;
}

/// A number as text with a few significant digits.
export function short(x, digits = 4) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? Number(x.toPrecision(3)).toExponential() : String(Number(x.toPrecision(digits)));
}
