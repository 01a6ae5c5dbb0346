// The time of the replay: play, speed, repetition. `listen` is called after each change.

/// Speeds from slow to fast. At least one of them plays a run of any length in about 4 s to 40 s.
export function speedsFor(span) {
  const speeds = [0.001, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 100];
  for (let k = -4; span > 0 && k > -300 && span / speeds[0] < 4; --k) speeds.unshift(Number(`1e${k}`));
  for (let k = 3; k < 300 && span / speeds.at(-1) > 40; ++k) speeds.push(Number(`1e${k}`));
  return speeds;
}

export class Player {
  constructor(motion, listen) {
    Object.assign(this, { motion, listen, time: motion.begin, playing: false, loop: true });
    // Real time if it plays the run in 4 s to 40 s, otherwise the fastest speed that does.
    const span = motion.end - motion.begin, fits = (speed) => span / speed >= 4 && span / speed <= 40;
    this.speeds = speedsFor(span);
    this.speed = fits(1) || span === 0 ? 1 : [...this.speeds].reverse().find(fits) ?? this.speeds.find((speed) => span / speed <= 40);
  }

  seek(t) {
    this.time = Math.min(this.motion.end, Math.max(this.motion.begin, t));
    this.listen();
  }

  /// Moves the time by `count` frames of the result.
  step(count) {
    this.pause();
    const { times } = this.motion, i = this.motion.frame(this.time);
    const on = count < 0 && times[i] < this.time ? i + count + 1 : i + count;
    this.seek(times[Math.min(times.length - 1, Math.max(0, on))]);
  }

  play() {
    if (this.playing || this.motion.end === this.motion.begin) return;
    if (this.time >= this.motion.end) this.time = this.motion.begin;
    this.playing = true;
    let before = null;
    const tick = (now) => {
      const next = this.time + (before === null ? 0 : Math.min(0.1, (now - before) / 1000) * this.speed);
      before = now;
      if (next >= this.motion.end && !this.loop) this.playing = false;
      this.seek(next >= this.motion.end && this.loop ? this.motion.begin : next);
      if (this.playing) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
    this.listen();
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.listen();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  faster(by) {
    const i = this.speeds.findIndex((speed) => speed >= this.speed);
    this.speed = this.speeds[Math.min(this.speeds.length - 1, Math.max(0, i + by))];
    this.listen();
  }
}
