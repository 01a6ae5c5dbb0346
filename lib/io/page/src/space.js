// The bodies in space: shapes, joints, rods and springs, floor, traces and screw axes.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { groundRing, jointGlyph } from "./joints.js";
import { bodyColor, solid } from "./solids.js";

const vector = (p) => new THREE.Vector3(...p);

export class Space {
  constructor(canvas, data, motion) {
    this.data = data;
    this.motion = motion;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.#measure();
    this.#light();
    this.#bodies();
    this.#joints();
    this.#lines();
    this.#floor();
    this.traces = new Map();
    this.screws = new Map();
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.changed = () => {};
    this.controls.addEventListener("change", () => this.changed());
    this.fit();
  }

  /// Extent of the whole motion, the way up, and the size of glyphs.
  #measure() {
    const { data, motion } = this;
    const gravity = vector(data.gravity.map((x) => x ?? 0));
    this.up = data.floor ? vector(data.floor.normal) : gravity.length() > 0 ? gravity.clone().normalize().negate() : new THREE.Vector3(0, 0, 1);
    this.cloud = [];
    const frames = motion.times.length, stride = Math.max(1, Math.ceil(frames * data.bodies.length / 20000));
    for (let f = 0; f < frames; f += stride) {
      motion.at(motion.times[f]);
      data.bodies.forEach((body, i) => {
        this.cloud.push(vector(motion.point(i, [0, 0, 0])));
        for (const p of body.holds) this.cloud.push(vector(motion.point(i, p)));
        for (const node of body.nodes) this.cloud.push(vector(motion.point(i, node.p)));
      });
      for (const point of data.points) this.cloud.push(vector(motion.point(point.body, point.p)));
    }
    motion.at(motion.begin);
    const sizes = data.bodies.flatMap((body) => body.shapes.map((shape) =>
      vector(shape.p).length() + (shape.kind === "box" ? vector(shape.size).length() / 2
        : shape.kind === "cylinder" ? Math.hypot(shape.size[0], shape.size[2] / 2) : Math.max(...shape.size))));
    this.margin = Math.max(0, ...sizes);
    this.box = new THREE.Box3().setFromPoints(this.cloud);
    this.size = Math.max(this.box.getSize(new THREE.Vector3()).length(), 2 * this.margin, 1e-9);
    const holds = data.bodies.flatMap((body) => body.holds.map((p) => vector(p).length())).filter((x) => x > 0).sort((a, b) => a - b);
    const middle = holds.length > 0 ? holds[holds.length >> 1] : Infinity;
    this.glyph = Math.max(0.0022 * this.size, Math.min(0.014 * this.size, 0.11 * middle));
  }

  #light() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a94a0, 2.1));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    this.camera.add(sun);
    sun.position.set(0.6, 1, 0.8);
    this.scene.add(this.camera);
  }

  #bodies() {
    const heaviest = Math.max(...this.data.bodies.map((body) => body.mass), 0);
    this.groups = this.data.bodies.map((body, i) => {
      const group = new THREE.Group();
      const color = bodyColor(this.data.bodies, i);
      for (const shape of body.shapes) group.add(solid(shape, color));
      const ball = (mass, p) => {
        const radius = Math.max(0.3, Math.cbrt(mass / heaviest)) * Math.min(0.022 * this.size, 2.2 * this.glyph);
        group.add(solid({ kind: "ellipsoid", size: [radius, radius, radius], p, q: [0, 0, 0, 1] }, color));
      };
      if (body.particle) ball(body.mass, [0, 0, 0]);
      for (const node of body.nodes) ball(heaviest / 2, node.p);
      for (const p of [...body.holds, ...body.nodes.map((node) => node.p)]) this.#stick(group, p, color);
      this.scene.add(group);
      return group;
    });
  }

  /// A thin line from the mass centre to where a joint takes hold.
  #stick(group, p, color) {
    const length = vector(p).length();
    if (length < 1e-9 * this.size) return;
    const radius = Math.max(0.28 * this.glyph, 0.0016 * this.size); // thin bodies are seen from afar too
    const stick = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 10),
      new THREE.MeshStandardMaterial({ color: new THREE.Color(color).multiplyScalar(0.75), roughness: 0.7 }));
    stick.position.copy(vector(p)).multiplyScalar(0.5);
    stick.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector(p).normalize());
    group.add(stick);
  }

  #joints() {
    this.joints = new THREE.Group();
    this.jointGroups = [];
    this.jointMaterial = new THREE.MeshStandardMaterial({ roughness: 0.6 });
    for (const joint of this.data.joints) {
      const glyph = jointGlyph(joint, this.glyph, this.jointMaterial);
      if (!glyph) continue;
      const holder = new THREE.Group();
      holder.add(glyph);
      glyph.position.copy(vector(joint.p));
      glyph.quaternion.set(...joint.q);
      this.joints.add(holder);
      this.jointGroups.push([holder, joint.child]);
      if (joint.ground) this.joints.add(groundRing(joint.ground, this.glyph, this.jointMaterial));
    }
    this.scene.add(this.joints);
  }

  #lines() {
    this.links = this.data.lines.map((line) => {
      const spring = line.kind === "spring";
      const link = this.#fatLine([0, 0, 0, 0, 0, 0], spring ? "--joint" : "--soft", spring ? 1.5 : 3, 1);
      link.userData.line = line;
      this.scene.add(link);
      return link;
    });
  }

  #fatLine(positions, variable, width, opacity) {
    const geometry = new LineGeometry();
    geometry.setPositions(positions);
    const material = new LineMaterial({ linewidth: width, transparent: opacity < 1, opacity });
    material.userData.variable = variable;
    const line = new Line2(geometry, material);
    line.frustumCulled = false;
    return line;
  }

  /// A grid under everything, or on the plane where something rolls.
  #floor() {
    const { data } = this;
    this.cell = 0;
    if (!data.floor && vector(data.gravity).length() === 0 && !data.joints.some((joint) => joint.ground)) return;
    const reach = this.box.clone().expandByScalar(this.margin);
    const middle = reach.getCenter(new THREE.Vector3()), up = this.up;
    const least = Math.min(...this.cloud.map((p) => p.dot(up))) - this.margin - 0.01 * this.size;
    const height = data.floor ? vector(data.floor.point).dot(up) : least;
    const spread = 1.25 * Math.max(reach.getSize(new THREE.Vector3()).length(), this.size);
    const rough = spread / 16, power = 10 ** Math.floor(Math.log10(rough));
    this.cell = [1, 2, 5, 10].map((k) => k * power).find((cell) => cell >= rough);
    const count = 2 * Math.ceil(spread / this.cell / 2);
    this.grid = new THREE.GridHelper(count * this.cell, count);
    this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    this.grid.position.copy(middle).addScaledVector(up, height - middle.dot(up));
    this.grid.material = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7 });
    this.scene.add(this.grid);
  }

  /// The path of a point, faint as a whole and clear as far as it has gone.
  setTrace(key, point, on) {
    const old = this.traces.get(key);
    if (old) for (const line of old.lines) this.scene.remove(line), line.geometry.dispose();
    this.traces.delete(key);
    if (!on) return;
    const { motion } = this, times = [], places = [];
    const fine = Math.max(1, Math.min(8, Math.floor(3000 / motion.times.length)));
    for (let f = 0; f + 1 < motion.times.length; ++f)
      for (let k = 0; k < fine; ++k) times.push(motion.times[f] + k / fine * (motion.times[f + 1] - motion.times[f]));
    times.push(motion.end);
    const now = this.time;
    for (const t of times) motion.at(t), places.push(...motion.point(point.body, point.p));
    motion.at(now ?? motion.begin);
    if (times.length < 2) return;
    const lines = [this.#fatLine(places, "--trace", 1.2, 0.3), this.#fatLine(places, "--trace", 2.2, 1)];
    for (const line of lines) this.scene.add(line);
    this.traces.set(key, { lines, times });
    this.recolor();
  }

  /// The screw axes that go on from the present velocities: bodies by number.
  setScrews(bodies) {
    for (const line of this.screws.values()) this.scene.remove(line), line.geometry.dispose();
    this.screws.clear();
    for (const i of bodies) {
      const line = this.#fatLine([0, 0, 0, 0, 0, 0], "--accent", 2, 0.9);
      this.scene.add(line);
      this.screws.set(i, line);
    }
    this.recolor();
  }

  /// Axis of the autoparallel of a body's canonical connection: in SE(3) a screw about a fixed axis; in R^3 x SO(3)
  /// the axis goes through the mass centre and moves along with its velocity.
  screw(i) {
    const { motion, data } = this, twist = motion.twist.subarray(6 * i, 6 * i + 6);
    const v = vector(twist.subarray(0, 3)), omega = vector(motion.rotate(i, [...twist.subarray(3, 6)]));
    const centre = vector(motion.place.subarray(3 * i, 3 * i + 3)), turn = omega.length();
    if (turn < 1e-12) return { turn: 0, speed: v.length(), point: centre, direction: v.clone().normalize(), pitch: Infinity };
    const direction = omega.clone().normalize();
    if (!data.bodies[i].semidirect) return { turn, speed: v.length(), point: centre, direction, pitch: null };
    const point = centre.clone().addScaledVector(omega.clone().cross(v), 1 / turn ** 2);
    return { turn, speed: v.length(), point, direction, pitch: v.dot(omega) / turn ** 2 };
  }

  #place() {
    const { motion } = this;
    this.groups.forEach((group, i) => {
      group.position.fromArray(motion.place, 3 * i);
      group.quaternion.fromArray(motion.turn, 4 * i);
    });
    for (const [holder, body] of this.jointGroups) {
      if (body < 0) continue;
      holder.position.fromArray(motion.place, 3 * body);
      holder.quaternion.fromArray(motion.turn, 4 * body);
    }
    for (const link of this.links) {
      const { a, b } = link.userData.line;
      link.geometry.setPositions([...motion.point(a.body, a.p), ...motion.point(b.body, b.p)]);
    }
    for (const [i, line] of this.screws) {
      const { point, direction } = this.screw(i), half = 0.4 * this.size;
      line.geometry.setPositions([...point.clone().addScaledVector(direction, -half), ...point.clone().addScaledVector(direction, half)]);
    }
    for (const { lines, times } of this.traces.values()) {
      let gone = 0;
      while (gone + 1 < times.length && times[gone + 1] <= this.time) ++gone;
      lines[1].geometry.instanceCount = gone;
    }
  }

  show(time) {
    this.time = time;
    this.motion.at(time);
    this.#place();
    this.draw();
  }

  draw() { this.renderer.render(this.scene, this.camera); }

  /// Colours of the page, light or dark.
  recolor() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => new THREE.Color(style.getPropertyValue(name).trim());
    this.renderer.setClearColor(of("--space"));
    this.jointMaterial.color = of("--joint");
    if (this.grid) this.grid.material.color = of("--grid");
    this.scene.traverse((one) => {
      const variable = one.material?.userData?.variable;
      if (variable) one.material.color = of(variable);
    });
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.width = width;
    this.height = height;
  }

  /// Looks at the whole motion: square on where it stays in a plane, else from the side, a little from above.
  fit() {
    const up = this.up, extent = this.box.getSize(new THREE.Vector3());
    const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
    const flat = axes.filter((axis) => Math.abs(axis.dot(up)) < 0.7).slice(0, 2);
    const along = (axis) => Math.abs(axis.dot(extent));
    // x to the right where it is at least as wide as the other.
    const right = along(flat[1]) > 1.2 * along(flat[0]) ? flat[1] : flat[0];
    right.addScaledVector(up, -right.dot(up)).normalize();
    const front = right.clone().cross(up);
    const other = flat.find((axis) => axis !== right);
    const planar = along(other) < 0.05 * this.size;
    const [turn, rise] = planar ? [10, 7] : [30, 20];
    const radians = Math.PI / 180;
    const view = front.multiplyScalar(Math.cos(turn * radians)).addScaledVector(right, Math.sin(turn * radians))
      .multiplyScalar(Math.cos(rise * radians)).addScaledVector(up, Math.sin(rise * radians)).normalize();
    this.#lookAlong(view);
  }

  #lookAlong(view) {
    const { camera, up } = this, centre = this.box.getCenter(new THREE.Vector3());
    const side = up.clone().cross(view).normalize(), over = view.clone().cross(side);
    const tan = Math.tan(camera.fov / 2 * Math.PI / 180), aspect = camera.aspect;
    const spans = [side, over].map((axis) => {
      const at = this.cloud.map((p) => p.clone().sub(centre).dot(axis));
      return [Math.min(...at), Math.max(...at)];
    });
    centre.addScaledVector(side, (spans[0][0] + spans[0][1]) / 2).addScaledVector(over, (spans[1][0] + spans[1][1]) / 2);
    let distance = 0;
    for (const p of this.cloud) {
      const d = p.clone().sub(centre);
      const wide = (Math.abs(d.dot(side)) + this.margin) / (tan * aspect), high = (Math.abs(d.dot(over)) + this.margin) / tan;
      distance = Math.max(distance, d.dot(view) + 1.12 * Math.max(wide, high));
    }
    distance = Math.max(distance, 1e-6 * this.size, 2 * this.margin);
    camera.position.copy(centre).addScaledVector(view, distance);
    camera.near = distance / 200;
    camera.far = distance + 20 * this.size;
    camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
  }

  /// Where a point in world axes is on the canvas, in CSS pixels; z in front of the camera is below 1.
  project(p) {
    const at = vector(p).project(this.camera);
    return { x: (at.x + 1) / 2 * this.width, y: (1 - at.y) / 2 * this.height, z: at.z };
  }
}
