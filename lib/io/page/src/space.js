// The bodies in space: shapes, joints, floor and lines.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { least, most } from "./data.js";
import { groundRing, glyph } from "./glyphs.js";
import { Links, pageColor, Screws, Traces } from "./lines.js";
import { bodyColors, solid } from "./solids.js";
import { direction, lookAlong } from "./view.js";

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
    this.#floor();
    this.links = new Links(this.scene, data, motion);
    this.traces = new Traces(this.scene, motion);
    this.screws = new Screws(this.scene, data, motion, 0.8 * this.size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.changed = () => {};
    this.controls.addEventListener("change", () => this.changed());
    this.fit();
  }

  /// Finds the extent of the whole motion, the upward direction and the size of glyphs.
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
      for (const { body, p, path } of [...data.points, ...data.lines.flatMap((line) => [line.a, line.b])])
        this.cloud.push(vector(motion.point(body, p ?? motion.along(path))));
    }
    motion.at(motion.begin);
    const sizes = data.bodies.flatMap((body) => body.shapes.map((shape) =>
      vector(shape.p).length() + (shape.kind === "box" ? vector(shape.size).length() / 2
        : shape.kind === "cylinder" ? Math.hypot(shape.size[0], shape.size[2] / 2) : Math.max(...shape.size))));
    this.margin = Math.max(0, most(sizes));
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
    const heaviest = Math.max(0, most(this.data.bodies.map((body) => body.mass))), colors = bodyColors(this.data.bodies);
    this.groups = this.data.bodies.map((body, i) => {
      const group = new THREE.Group();
      const color = colors[i];
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

  /// A thin line from the mass centre to the point p, where a joint or a constraint acts, or where a node is.
  #stick(group, p, color) {
    const length = vector(p).length();
    if (length < 1e-9 * this.size) return;
    const radius = Math.max(0.28 * this.glyph, 0.0016 * this.size); // visible from afar too
    const stick = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 10),
      new THREE.MeshStandardMaterial({ color: new THREE.Color(color).multiplyScalar(0.75), roughness: 0.7 }));
    stick.position.copy(vector(p)).multiplyScalar(0.5);
    stick.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector(p).normalize());
    group.add(stick);
  }

  /// Glyphs of joints and constraints, each in its frame on a body or on the ground.
  #joints() {
    this.joints = new THREE.Group();
    this.jointGroups = [];
    const material = new THREE.MeshStandardMaterial({ roughness: 0.6, side: THREE.DoubleSide });
    material.userData.variable = "--joint";
    const faint = material.clone();
    Object.assign(faint, { depthTest: false, transparent: true, opacity: 0.3 });
    for (const joint of this.data.joints) {
      const drawn = glyph(joint, this, material, faint);
      if (!drawn) continue;
      const holder = new THREE.Group();
      holder.add(drawn);
      this.joints.add(holder);
      this.jointGroups.push([holder, joint.child]);
      if (joint.ground) this.joints.add(groundRing(joint.ground, this.glyph, material));
    }
    this.scene.add(this.joints);
  }

  /// A grid below all bodies, or on the plane on which a body rolls.
  #floor() {
    const { data } = this;
    this.cell = 0;
    if (!data.chart && !data.floor && vector(data.gravity).length() === 0 && !data.joints.some((joint) => joint.ground)) return;
    const reach = this.box.clone().expandByScalar(this.margin);
    const middle = reach.getCenter(new THREE.Vector3()), up = this.up;
    const below = least(this.cloud.map((p) => p.dot(up))) - this.margin - 0.01 * this.size;
    const height = data.floor ? vector(data.floor.point).dot(up) : below;
    const spread = 1.25 * Math.max(reach.getSize(new THREE.Vector3()).length(), this.size);
    const rough = spread / 16, power = 10 ** Math.floor(Math.log10(rough));
    this.cell = [1, 2, 5, 10].map((k) => k * power).find((cell) => cell >= rough);
    const count = 2 * Math.ceil(spread / this.cell / 2);
    this.grid = new THREE.GridHelper(count * this.cell, count);
    this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    this.grid.position.copy(middle).addScaledVector(up, height - middle.dot(up));
    this.grid.material = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7 });
    this.grid.material.userData.variable = "--grid";
    this.scene.add(this.grid);
  }

  show(time) {
    const { motion } = this;
    motion.at(time);
    const put = (one, body) => {
      one.position.fromArray(motion.place, 3 * body);
      one.quaternion.fromArray(motion.turn, 4 * body);
    };
    this.groups.forEach(put);
    for (const [holder, body] of this.jointGroups) if (body >= 0) put(holder, body);
    this.links.show();
    this.traces.show(time);
    this.screws.show();
    this.draw();
  }

  draw() { this.renderer.render(this.scene, this.camera); }

  /// Takes the colours of the page, light or dark.
  recolor() {
    this.renderer.setClearColor(pageColor("--space"));
    this.scene.traverse((one) => {
      const variable = one.material?.userData?.variable;
      if (variable) one.material.color = pageColor(variable);
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

  /// Looks at the whole motion.
  fit() { lookAlong(direction(this), this); }

  /// The position on the canvas of a point in world axes, in CSS pixels. z is below 1 in front of the camera.
  project(p) {
    const at = vector(p).project(this.camera);
    return { x: (at.x + 1) / 2 * this.width, y: (1 - at.y) / 2 * this.height, z: at.z };
  }
}
