// Glyphs of joints, in the frame of the joint: z is the axis of hinges and slides. About a joint to the
// ground there is a ring, which stays.

import * as THREE from "three";

const cylinder = (radius, length) => new THREE.CylinderGeometry(radius, radius, length, 20).rotateX(Math.PI / 2);
const across = (geometry, axis) => (axis === "x" ? geometry.rotateY(Math.PI / 2) : geometry.rotateX(Math.PI / 2));

const parts = {
  fixed: (s) => [new THREE.BoxGeometry(1.2 * s, 1.2 * s, 1.2 * s)],
  revolute: (s) => [cylinder(0.7 * s, 2.6 * s)],
  prismatic: (s) => [new THREE.BoxGeometry(1.1 * s, 1.1 * s, 3.4 * s)],
  helical: (s) => [cylinder(0.6 * s, 3.2 * s), new THREE.TorusGeometry(0.9 * s, 0.2 * s, 8, 24), new THREE.TorusGeometry(0.9 * s, 0.2 * s, 8, 24).translate(0, 0, 0.8 * s)],
  cylindrical: (s) => [cylinder(0.6 * s, 3.4 * s), cylinder(0.95 * s, 0.8 * s)],
  universal: (s) => [across(cylinder(0.35 * s, 2.6 * s), "x"), across(cylinder(0.35 * s, 2.6 * s), "y")],
  "constant-velocity": (s) => [new THREE.SphereGeometry(0.8 * s, 18, 12), cylinder(0.4 * s, 2.6 * s)],
  planar: (s) => [new THREE.BoxGeometry(3 * s, 3 * s, 0.3 * s)],
  spherical: (s) => [new THREE.SphereGeometry(s, 20, 14)],
};

export function jointGlyph(joint, size, material) {
  const make = parts[joint.kind];
  if (!make) return null;
  const glyph = new THREE.Group();
  for (const geometry of make(size)) glyph.add(new THREE.Mesh(geometry, material));
  return glyph;
}

export function groundRing(frame, size, material) {
  const ring = new THREE.Mesh(new THREE.TorusGeometry(1.7 * size, 0.22 * size, 8, 28), material);
  ring.position.set(...frame.p);
  ring.quaternion.set(...frame.q);
  return ring;
}
