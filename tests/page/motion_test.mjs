// Without a browser: the poses between frames agree with the exact motion, also where frames are far apart.
import assert from "node:assert/strict";
import { Motion } from "../../lib/io/page/src/motion.js";

/// A body that turns about an axis at a constant rate while its centre runs along a parabola.
function frames(step, count, axis, rate) {
  const times = Float64Array.from({ length: count }, (_, i) => i * step), poses = [], twists = [];
  for (const t of times) {
    const half = rate * t / 2;
    poses.push(t, t * t, -2 * t, ...axis.map((x) => x * Math.sin(half)), Math.cos(half));
    twists.push(1, 2 * t, -2, ...axis.map((x) => x * rate));
  }
  return { times, poses: Float32Array.from(poses), twists: Float32Array.from(twists), bodies: [{}] };
}

const near = (a, b, what) => assert.ok(Math.abs(a - b) < 2e-5, `${what}: ${a}, not ${b}`);

for (const [step, rate] of [[0.01, 3], [0.1, 150], [0.1, -150], [0.5, 40], [0.1, 0]]) {
  const axis = [0.6, 0, 0.8], motion = new Motion(frames(step, 6, axis, rate));
  for (const t of [0, 0.3 * step, 2.5 * step, 4.99 * step, 5 * step]) {
    motion.at(t);
    near(motion.place[0], t, "x");
    near(motion.place[1], t * t, "y");
    // The attitude is checked by the vector to which it rotates a vector perpendicular to the axis.
    const across = [0.8, 0, -0.6], turned = motion.rotate(0, across), angle = rate * t;
    const third = [axis[1] * across[2] - axis[2] * across[1], axis[2] * across[0] - axis[0] * across[2], axis[0] * across[1] - axis[1] * across[0]];
    for (let k = 0; k < 3; ++k) near(turned[k], across[k] * Math.cos(angle) + third[k] * Math.sin(angle), `turn by ${angle}`);
  }
}

const still = new Motion(frames(0.1, 1, [0, 0, 1], 1));
still.at(3);
near(still.place[0], 0, "one frame alone");
