// Without a browser: the direction of view is oblique from above for every upward direction.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const modules = (process.env.TORSOR_NODE_MODULES ?? "").split(":").map((folder) => join(folder, "node_modules"))
  .find((folder) => existsSync(join(folder, "three")));
if (!modules) {
  console.log("SKIPPED: three is not installed");
  process.exit(0);
}
const sources = join(dirname(fileURLToPath(import.meta.url)), "../../lib/io/page"), work = mkdtempSync(join(tmpdir(), "torsor-view-"));
try {
  for (const part of ["src", "package.json"]) cpSync(join(sources, part), join(work, part), { recursive: true });
  symlinkSync(resolve(modules), join(work, "node_modules"));
  const { Box3, Vector3 } = await import(pathToFileURL(join(modules, "three", "build", "three.module.js")));
  const { direction } = await import(pathToFileURL(join(work, "src", "view.js")));
  // Upward directions along an axis, or between two or three axes, as in scenes with inclined gravity.
  for (const x of [-1, -0.3, 0, 0.3, 1])
    for (const y of [-1, -0.3, 0, 0.3, 1])
      for (const z of [-1, 0, 1])
        for (const extent of [[1, 2, 3], [3, 0, 2], [0, 0, 0]]) {
          const up = new Vector3(x, y, z);
          if (up.length() === 0) continue;
          const box = new Box3(new Vector3(), new Vector3(...extent));
          const rise = direction({ up: up.normalize(), box, size: 4 }).dot(up);
          assert.ok(rise > 0.1 && rise < 0.6, `up ${up.toArray()}, extent ${extent}: ${rise}`);
        }
} finally {
  rmSync(work, { recursive: true, force: true });
}
