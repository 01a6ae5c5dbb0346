// Poses between the frames: positions by cubic Hermite polynomials with the velocities of the frames, attitudes by the
// rotation between two frames, with the number of whole turns that agrees best with the angular velocity. So a fast
// spin does not look slow.

export class Motion {
  constructor(data) {
    this.times = data.times;
    this.count = data.bodies.length;
    this.poses = data.poses;
    this.twists = data.twists;
    this.place = new Float64Array(3 * this.count);
    this.turn = new Float64Array(4 * this.count); // x y z w
    this.twist = new Float64Array(6 * this.count); // velocity in world axes, angular velocity in body axes
    this.at(this.times[0]);
  }

  get begin() { return this.times[0]; }
  get end() { return this.times[this.times.length - 1]; }

  /// The last frame that is not after t.
  frame(t) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle - 1;
    }
    return low;
  }

  at(t) {
    this.time = t;
    const i = Math.min(this.frame(t), Math.max(0, this.times.length - 2));
    const j = Math.min(i + 1, this.times.length - 1);
    const h = this.times[j] - this.times[i];
    const s = h > 0 ? Math.min(1, Math.max(0, (t - this.times[i]) / h)) : 0;
    for (let body = 0; body < this.count; ++body) this.#between(body, i, j, h, s);
  }

  #between(body, i, j, h, s) {
    const p = this.poses, v = this.twists;
    const a = 7 * (i * this.count + body), b = 7 * (j * this.count + body);
    const c = 6 * (i * this.count + body), d = 6 * (j * this.count + body);
    const gone = Math.hypot(p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]);
    const speed = h * Math.max(Math.hypot(v[c], v[c + 1], v[c + 2]), Math.hypot(v[d], v[d + 1], v[d + 2]));
    const smooth = speed < 8 * gone + 1e-12 ? h : 0; // 0: straight, since the frames are too far apart
    const s2 = s * s, s3 = s2 * s;
    for (let k = 0; k < 3; ++k) {
      const straight = p[a + k] + s * (p[b + k] - p[a + k]);
      this.place[3 * body + k] = smooth === 0 ? straight
        : (2 * s3 - 3 * s2 + 1) * p[a + k] + (s3 - 2 * s2 + s) * h * v[c + k] + (3 * s2 - 2 * s3) * p[b + k] + (s3 - s2) * h * v[d + k];
    }
    for (let k = 0; k < 6; ++k) this.twist[6 * body + k] = v[c + k] + s * (v[d + k] - v[c + k]);
    this.#turn(body, a + 3, b + 3, c + 3, d + 3, h, s);
  }

  #turn(body, a, b, c, d, h, s) {
    const p = this.poses, v = this.twists;
    const [x, y, z, w] = [-p[a], -p[a + 1], -p[a + 2], p[a + 3]]; // the inverse of the first attitude
    let r = [
      w * p[b] + x * p[b + 3] + y * p[b + 2] - z * p[b + 1],
      w * p[b + 1] - x * p[b + 2] + y * p[b + 3] + z * p[b],
      w * p[b + 2] + x * p[b + 1] - y * p[b] + z * p[b + 3],
    ];
    let real = w * p[b + 3] - x * p[b] - y * p[b + 1] - z * p[b + 2];
    if (real < 0) { r = r.map((one) => -one); real = -real; }
    const sine = Math.hypot(...r);
    const shortest = 2 * Math.atan2(sine, real);
    const told = [0, 1, 2].map((k) => h * (v[c + k] + v[d + k]) / 2);
    const size = Math.hypot(...told);
    const axis = sine > 1e-9 ? r.map((one) => one / sine) : size > 0 ? told.map((one) => one / size) : [0, 0, 1];
    const along = told[0] * axis[0] + told[1] * axis[1] + told[2] * axis[2];
    const angle = shortest + 2 * Math.PI * Math.round((along - shortest) / (2 * Math.PI));
    const half = s * angle / 2, si = Math.sin(half), co = Math.cos(half);
    const [ex, ey, ez] = axis.map((one) => one * si);
    const [qx, qy, qz, qw] = [p[a], p[a + 1], p[a + 2], p[a + 3]];
    this.turn[4 * body] = qw * ex + qx * co + qy * ez - qz * ey;
    this.turn[4 * body + 1] = qw * ey - qx * ez + qy * co + qz * ex;
    this.turn[4 * body + 2] = qw * ez + qx * ey - qy * ex + qz * co;
    this.turn[4 * body + 3] = qw * co - qx * ex - qy * ey - qz * ez;
  }

  /// The present position of a point whose positions at the frames are given in `path`.
  along(path) {
    const i = Math.min(this.frame(this.time), Math.max(0, this.times.length - 2)), h = this.times[i + 1] - this.times[i];
    const s = h > 0 ? Math.min(1, Math.max(0, (this.time - this.times[i]) / h)) : 0;
    return [0, 1, 2].map((k) => path[3 * i + k] + (s > 0 ? s * (path[3 * i + 3 + k] - path[3 * i + k]) : 0));
  }

  /// The present position of a point of a body (or of the ground, body -1), in world axes.
  point(body, p) {
    if (body < 0) return p;
    const turned = this.rotate(body, p);
    return turned.map((x, k) => x + this.place[3 * body + k]);
  }
  rotate(body, p) {
    const [x, y, z, w] = this.turn.subarray(4 * body, 4 * body + 4);
    const t = [2 * (y * p[2] - z * p[1]), 2 * (z * p[0] - x * p[2]), 2 * (x * p[1] - y * p[0])];
    return [
      p[0] + w * t[0] + y * t[2] - z * t[1],
      p[1] + w * t[1] + z * t[0] - x * t[2],
      p[2] + w * t[2] + x * t[1] - y * t[0],
    ];
  }
}
