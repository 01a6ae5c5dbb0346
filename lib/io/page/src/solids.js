// Solids of the bodies and their colours.

import * as THREE from "three";

const palette = ["#3d7edb", "#e0803a", "#2f9e74", "#c44e7b", "#8566cc", "#b8992a", "#2ea3b8", "#9a6b58"];

/// The colours of all bodies. If there are more bodies than colours, the bodies of a series (link0, link1, ...) share
/// a colour, and every second one is lighter.
export function bodyColors(bodies) {
  const few = bodies.length <= palette.length, series = new Map();
  return bodies.map((body, i) => {
    const [stem, number] = /^(.*?)(\d*)$/s.exec(body.name).slice(1);
    if (!series.has(stem)) series.set(stem, series.size);
    if (body.color) return body.color;
    const color = new THREE.Color(palette[(few ? i : series.get(stem)) % palette.length]);
    if (!few && Number(number) % 2 === 1) color.lerp(new THREE.Color("#ffffff"), 0.3);
    return `#${color.getHexString()}`;
  });
}

/// Gives sectors about z two shades, so that a rotation about z is visible.
function shade(geometry, sectors, octants) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry, at = plain.attributes.position, colors = [];
  for (let i = 0; i < at.count; i += 3) {
    const mean = (k) => (at.getComponent(i, k) + at.getComponent(i + 1, k) + at.getComponent(i + 2, k)) / 3;
    const sector = Math.floor((Math.atan2(mean(1), mean(0)) / (2 * Math.PI) + 1) * sectors + 1e-6);
    const one = (sector + (octants && mean(2) > 0 ? 1 : 0)) % 2 === 0 ? 1 : 0.72;
    for (let k = 0; k < 9; ++k) colors.push(one);
  }
  plain.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
  return plain;
}

function tube(radius, bore, length) {
  const half = length / 2;
  const profile = [[bore, -half], [radius, -half], [radius, half], [bore, half], [bore, -half]];
  const points = bore > 0 ? profile : [[0, -half], [radius, -half], [radius, half], [0, half]];
  const geometry = new THREE.LatheGeometry(points.map(([r, z]) => new THREE.Vector2(r, z)), 48);
  return geometry.rotateX(Math.PI / 2);
}

export function solid(shape, color) {
  let geometry;
  if (shape.kind === "box") {
    geometry = new THREE.BoxGeometry(...shape.size);
  } else if (shape.kind === "cylinder") {
    geometry = shade(tube(...shape.size), 4, false);
  } else {
    geometry = new THREE.SphereGeometry(1, 32, 20).rotateX(Math.PI / 2).scale(...shape.size);
    geometry = shade(geometry, 4, true);
  }
  if (shape.kind === "cylinder") geometry.computeVertexNormals();
  const material = new THREE.MeshStandardMaterial({
    color, roughness: 0.55, metalness: 0.05, vertexColors: shape.kind !== "box", side: THREE.DoubleSide, flatShading: shape.kind === "box",
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.position.set(...shape.p);
  mesh.quaternion.set(...shape.q);
  return mesh;
}
