// The position of the camera, from which the whole motion is in view.

import * as THREE from "three";
import { least, most } from "./data.js";

/// The direction of view: nearly along the normal if the motion stays in an upright plane, otherwise oblique and from
/// above.
export function direction({ up, box, size }) {
  const extent = box.getSize(new THREE.Vector3());
  const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
  const steep = (axis) => Math.abs(axis.dot(up));
  const upmost = axes.reduce((a, b) => (steep(b) >= steep(a) ? b : a)), flat = axes.filter((axis) => axis !== upmost);
  const along = (axis) => Math.abs(axis.dot(extent));
  // The axis along which the motion is clearly wider points to the right.
  const right = along(flat[1]) > 1.2 * along(flat[0]) ? flat[1] : flat[0];
  right.addScaledVector(up, -right.dot(up)).normalize();
  const front = right.clone().cross(up), other = flat.find((axis) => axis !== right);
  const upright = along(other) < 0.05 * size, lying = Math.abs(up.dot(extent)) < 0.05 * size;
  const [turn, rise] = upright && lying ? [20, 20] : upright ? [10, 7] : lying ? [20, 34] : [30, 20];
  const radians = Math.PI / 180;
  return front.multiplyScalar(Math.cos(turn * radians)).addScaledVector(right, Math.sin(turn * radians))
    .multiplyScalar(Math.cos(rise * radians)).addScaledVector(up, Math.sin(rise * radians)).normalize();
}

/// Moves the camera so that all points of the cloud are in view, with a margin around each.
export function lookAlong(view, { camera, up, box, cloud, margin, size, controls }) {
  const centre = box.getCenter(new THREE.Vector3());
  const side = up.clone().cross(view).normalize(), over = view.clone().cross(side);
  const tan = Math.tan(camera.fov / 2 * Math.PI / 180), aspect = camera.aspect;
  for (const axis of [side, over]) {
    const at = cloud.map((p) => p.dot(axis)), middle = (least(at) + most(at)) / 2;
    centre.addScaledVector(axis, middle - centre.dot(axis));
  }
  let distance = Math.max(1e-6 * size, 2 * margin);
  for (const p of cloud) {
    const d = p.clone().sub(centre);
    const wide = (Math.abs(d.dot(side)) + margin) / (tan * aspect), high = (Math.abs(d.dot(over)) + margin) / tan;
    distance = Math.max(distance, d.dot(view) + 1.12 * Math.max(wide, high));
  }
  camera.position.copy(centre).addScaledVector(view, distance);
  camera.near = distance / 200;
  camera.far = distance + 20 * size;
  camera.updateProjectionMatrix();
  controls.target.copy(centre);
  controls.update();
}
