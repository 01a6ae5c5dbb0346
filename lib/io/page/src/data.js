// The data of the page: JSON in a <script>, numbers as base64.

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
export const floats = (text) => new Float32Array(bytes(text));
export const doubles = (text) => new Float64Array(bytes(text));

export function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.times = doubles(data.times);
  for (const curve of data.curves) curve.values = doubles(curve.values);
  data.poses = floats(data.poses);
  data.twists = floats(data.twists);
  for (const line of data.lines) for (const end of [line.a, line.b]) if (end.path) end.path = floats(end.path);
  return data;
}

/// The least and the greatest number of a list of any length.
export const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
export const most = (list) => list.reduce((a, b) => Math.max(a, b), -Infinity);

/// A number as text with a few significant digits.
export function short(x, digits = 4) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? Number(x.toPrecision(3)).toExponential() : String(Number(x.toPrecision(digits)));
}
