// Without a browser: the numbers at axes and on the clock, and the speeds of a replay.
import assert from "node:assert/strict";
import { clockText, least, most, ticksIn, tickTexts, within } from "../../lib/io/page/src/data.js";
import { Player } from "../../lib/io/page/src/player.js";

// The ticks of an axis have different texts, and each text is the number at its tick.
for (const middle of [0, 1, -3e-7, 1e6, 5435.69679, -1e12])
  for (const width of [1, 3e-3, 7e-6, 2e-10]) {
    const size = width * (Math.abs(middle) || 1), [low, high] = within(middle, middle + size);
    assert.ok(low < middle && middle + size < high, `${middle}, ${width}: ${low} to ${high}`);
    const ticks = ticksIn(low, high, 5), step = ticks[1] - ticks[0], texts = tickTexts(ticks, step);
    assert.ok(ticks.length >= 2 && ticks.length <= 7, `${middle}, ${width}: ${ticks}`);
    assert.equal(new Set(texts).size, ticks.length, `${texts}`);
    ticks.forEach((tick, i) => assert.ok(tick >= low && tick <= high && Math.abs(Number(texts[i]) - tick) < 0.02 * step, `${texts[i]}, not ${tick}`));
  }
assert.deepEqual(tickTexts([0, 0.5, 1], 0.5), ["0", "0.5", "1"]);
assert.deepEqual(tickTexts([1e6, 1e6 + 0.5], 0.5), ["1000000.0", "1000000.5"]);
assert.deepEqual(tickTexts(ticksIn(-2e-28, 0, 2), 1e-28), ["-2e-28", "-1e-28", "0"]);
for (const [low, high] of [[-6e-18, 6e-18], [0.3, 1.9], [-0.9, 0.95]]) assert.ok(ticksIn(low, high, 2).length >= 2, `${low} to ${high}`);
// Quantities that do not change have an axis around their value.
assert.deepEqual(within(0, 0), [-1, 1]);
assert.deepEqual(within(5, 5), [4.5, 5.5]);
assert.deepEqual(within(null, null), [-1, 1]);

assert.equal(clockText(0.5, 0, 2), "0.500 of 2 s");
assert.equal(clockText(1000000.01, 1e6, 1e6 + 2), "1000000.010 of 1000002 s");
assert.equal(clockText(5e-7, 0, 1e-6), "5.000e-7 of 1e-6 s");

for (const span of [1e-9, 1e-3, 1, 7, 100, 1e5, 1e8]) {
  const { speed } = new Player({ begin: 3 * span, end: 4 * span }, () => {});
  assert.ok(span / speed > 2 && span / speed < 45, `a run of ${span} s takes ${span / speed} s`);
}

const many = Array.from({ length: 1_000_000 }, (_, i) => (i === 77 ? -5 : i));
assert.deepEqual([least(many), most(many)], [-5, 999_999]);
