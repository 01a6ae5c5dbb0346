// Glyphs of joints and constraints, each in its frame: z is the axis of hinges, slides and gears, the direction of
// rails, the normal of planes and of blades. A ring that does not move marks a joint to the ground.

import * as THREE from "three";

const cylinder = (radius, length) => new THREE.CylinderGeometry(radius, radius, length, 20).rotateX(Math.PI / 2);
const across = (geometry, axis) => (axis === "x" ? geometry.rotateY(Math.PI / 2) : geometry.rotateX(Math.PI / 2));
const box = (x, y, z) => new THREE.BoxGeometry(x, y, z);
const tip = (radius, length) => new THREE.ConeGeometry(radius, length, 16).rotateX(Math.PI / 2);
const arrow = (s, length) => [cylinder(0.3 * s, length).translate(0, 0, length / 2), tip(0.8 * s, 1.6 * s).translate(0, 0, length)];
const around = (count, make) => Array.from({ length: count }, (_, k) => make().rotateZ(2 * Math.PI * k / count));

const joints = {
  fixed: (s) => [box(1.2 * s, 1.2 * s, 1.2 * s)],
  revolute: (s) => [cylinder(0.7 * s, 2.6 * s)],
  prismatic: (s) => [box(1.1 * s, 1.1 * s, 3.4 * s)],
  helical: (s) => [cylinder(0.6 * s, 3.2 * s), new THREE.TorusGeometry(0.9 * s, 0.2 * s, 8, 24), new THREE.TorusGeometry(0.9 * s, 0.2 * s, 8, 24).translate(0, 0, 0.8 * s)],
  cylindrical: (s) => [cylinder(0.6 * s, 3.4 * s), cylinder(0.95 * s, 0.8 * s)],
  universal: (s) => [across(cylinder(0.35 * s, 2.6 * s), "x"), across(cylinder(0.35 * s, 2.6 * s), "y")],
  "constant-velocity": (s) => [new THREE.SphereGeometry(0.8 * s, 18, 12), cylinder(0.4 * s, 2.6 * s)],
  planar: (s) => [box(3 * s, 3 * s, 0.3 * s)],
  spherical: (s) => [new THREE.SphereGeometry(s, 20, 14)],
};
const constraints = {
  gear: (s) => [cylinder(1.8 * s, 0.5 * s), ...around(12, () => box(0.5 * s, 0.5 * s, 0.5 * s).translate(2 * s, 0, 0))],
  rack: (s) => [box(0.5 * s, 0.5 * s, 5 * s), ...[-2, -1, 0, 1, 2].map((k) => box(0.5 * s, 0.5 * s, 0.5 * s).translate(0.5 * s, 0, k * s))],
  motor: (s) => [new THREE.TorusGeometry(1.9 * s, 0.2 * s, 8, 32, 1.5 * Math.PI), tip(0.7 * s, 1.4 * s).rotateY(Math.PI / 2).translate(0.5 * s, -1.9 * s, 0)],
  actuator: (s) => arrow(s, 4 * s),
  rail: (s) => [cylinder(0.25 * s, 24 * s)],
  plane: (s) => [box(12 * s, 12 * s, 0.1 * s)],
  point: (s) => [new THREE.OctahedronGeometry(1.3 * s)],
  blade: (s) => [cylinder(1.9 * s, 0.3 * s)],
  turn: (s) => [...arrow(s, 3 * s), new THREE.TorusGeometry(1.4 * s, 0.2 * s, 8, 32)],
  direction: (s) => arrow(s, 4 * s),
};

/// The glyph of a joint, of the size `glyph`. The glyph of a constraint is larger, and faintly visible through bodies.
export function glyph(joint, { glyph, margin }, material, faint) {
  const of = Object.hasOwn(constraints, joint.kind), make = of ? constraints[joint.kind] : joints[joint.kind];
  if (!make) return null;
  const group = new THREE.Group();
  for (const geometry of make(of ? Math.max(glyph, 0.12 * margin) : glyph))
    for (const one of of ? [material, faint] : [material]) group.add(new THREE.Mesh(geometry, one));
  group.position.set(...joint.p);
  group.quaternion.set(...joint.q);
  return group;
}

export function groundRing(frame, size, material) {
  const ring = new THREE.Mesh(new THREE.TorusGeometry(1.7 * size, 0.22 * size, 8, 28), material);
  ring.position.set(...frame.p);
  ring.quaternion.set(...frame.q);
  return ring;
}
