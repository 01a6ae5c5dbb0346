// Lines in space: massless rods and springs, paths of points, screw axes.

import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

const vector = (p) => new THREE.Vector3(...p);

/// The present value of a colour variable of the page, which has a light and a dark scheme.
export const pageColor = (variable) =>
  new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue(variable).trim());

/// The graphics card computes in single precision, so the points of a line are relative to the first of them.
function setPoints(line, points) {
  line.position.fromArray(points);
  line.geometry.setPositions(points.map((x, k) => x - points[k % 3]));
}

function fatLine(points, variable, width, opacity = 1) {
  const material = new LineMaterial({ color: pageColor(variable), linewidth: width, transparent: opacity < 1, opacity });
  material.userData.variable = variable;
  const line = new Line2(new LineGeometry(), material);
  setPoints(line, points);
  line.frustumCulled = false;
  return line;
}
const nowhere = [0, 0, 0, 0, 0, 0];

/// Rods and springs between points of bodies.
export class Links {
  constructor(scene, data, motion) {
    this.motion = motion;
    this.links = data.lines.map((ends) => {
      const spring = ends.kind === "spring", line = fatLine(nowhere, spring ? "--joint" : "--soft", spring ? 1.5 : 3);
      scene.add(line);
      return { ends, line };
    });
  }

  /// The positions of the ends of a line, in world axes.
  ends(i) {
    const at = ({ body, p, path }) => this.motion.point(body, p ?? this.motion.along(path)), { a, b } = this.links[i].ends;
    return { a: at(a), b: at(b) };
  }

  show() {
    this.links.forEach(({ line }, i) => {
      const { a, b } = this.ends(i);
      setPoints(line, [...a, ...b]);
    });
  }
}

/// The paths of points: the whole path is faint, and the part up to the present time is clear.
export class Traces {
  constructor(scene, motion) { Object.assign(this, { scene, motion, all: new Map() }); }

  set(key, point, on) {
    const { scene, motion } = this;
    for (const line of this.all.get(key)?.lines ?? []) scene.remove(line), line.geometry.dispose();
    this.all.delete(key);
    if (!on || motion.times.length < 2) return;
    const times = [], places = [], now = motion.time;
    const fine = Math.max(1, Math.min(8, Math.floor(3000 / motion.times.length)));
    for (let f = 0; f + 1 < motion.times.length; ++f)
      for (let k = 0; k < fine; ++k) times.push(motion.times[f] + k / fine * (motion.times[f + 1] - motion.times[f]));
    times.push(motion.end);
    for (const t of times) motion.at(t), places.push(...motion.point(point.body, point.p));
    motion.at(now);
    const lines = [fatLine(places, "--trace", 1.2, 0.3), fatLine(places, "--trace", 2.2)];
    for (const line of lines) scene.add(line);
    this.all.set(key, { lines, times });
  }

  show(time) {
    for (const { lines, times } of this.all.values()) {
      let gone = 0;
      while (gone + 1 < times.length && times[gone + 1] <= time) ++gone;
      lines[1].geometry.instanceCount = gone;
    }
  }
}

/// Axes of the autoparallels that have the present positions and velocities of bodies.
export class Screws {
  constructor(scene, data, motion, length) { Object.assign(this, { scene, data, motion, length, all: new Map() }); }

  set(bodies) {
    for (const line of this.all.values()) this.scene.remove(line), line.geometry.dispose();
    this.all.clear();
    for (const i of bodies) {
      const line = fatLine(nowhere, "--accent", 2, 0.9);
      this.scene.add(line);
      this.all.set(i, line);
    }
  }

  /// Axis of the autoparallel of a body's canonical connection: in SE(3) a screw about a fixed axis; in R^3 x SO(3)
  /// the axis goes through the mass centre and moves with the velocity of the mass centre.
  of(i) {
    const { motion, data } = this, twist = motion.twist.subarray(6 * i, 6 * i + 6);
    const v = vector(twist.subarray(0, 3)), omega = vector(motion.rotate(i, [...twist.subarray(3, 6)]));
    const centre = vector(motion.place.subarray(3 * i, 3 * i + 3)), turn = omega.length();
    if (turn < 1e-12) return { turn: 0, speed: v.length(), point: centre, direction: v.clone().normalize(), pitch: Infinity };
    const direction = omega.clone().normalize();
    if (!data.bodies[i].semidirect) return { turn, speed: v.length(), point: centre, direction, pitch: null };
    const point = centre.clone().addScaledVector(omega.clone().cross(v), 1 / turn ** 2);
    return { turn, speed: v.length(), point, direction, pitch: v.dot(omega) / turn ** 2 };
  }

  show() {
    for (const [i, line] of this.all) {
      const { point, direction } = this.of(i), half = this.length / 2;
      setPoints(line, [...point.clone().addScaledVector(direction, -half), ...point.clone().addScaledVector(direction, half)]);
    }
  }
}
