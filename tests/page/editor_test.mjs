// Checks of scenes by the TOML language server of editors (taplo): every shipped scene and study passes, and a key that is
// not in the schema is refused.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const taplo = (process.env.TORSOR_NODE_MODULES ?? "").split(":").map((folder) => join(folder, "node_modules/@taplo/cli/dist/cli.js"))
  .find((file) => existsSync(file));
if (!taplo) {
  console.log("SKIPPED: @taplo/cli is not installed");
  process.exit(0);
}
const root = process.argv[2], work = mkdtempSync(join(tmpdir(), "torsor-editor-"));
const lint = (...files) => {
  const run = spawnSync(process.execPath, [taplo, "lint", ...files], { encoding: "utf8", cwd: work });
  return { code: run.status, text: run.stdout + run.stderr };
};
const must = (holds, text) => {
  if (holds) return;
  console.error(text);
  process.exitCode = 1;
};
const toml = (folder) => readdirSync(folder).filter((name) => name.endsWith(".toml")).map((name) => join(folder, name));
try {
  for (const part of ["scenes", "lib/scene/scene.schema.json", "lib/batch/study.schema.json"])
    cpSync(join(root, part), join(work, part), { recursive: true });
  const scenes = toml(join(work, "scenes")), studies = toml(join(work, "scenes/studies"));
  must(scenes.length > 50 && studies.length > 1, "there are no scenes");
  const good = lint(...scenes, ...studies);
  must(good.code === 0 && !good.text.includes("schema"), `a shipped scene is refused:\n${good.text}`);

  const spoil = (file, from, to) => {
    const text = readFileSync(file, "utf8");
    must(text.match(from), `${file} has no ${from}`);
    writeFileSync(join(file, "../spoilt.toml"), text.replace(from, to));
    const bad = lint(join(file, "../spoilt.toml"));
    must(bad.code !== 0 && bad.text.includes("spoilt"), `${to} passes in ${file}:\n${bad.text}`);
  };
  spoil(join(work, "scenes/heavy_top_bruls.toml"), /^mass = /m, "spoilt = ");
  spoil(join(work, "scenes/studies/heavy_tops.toml"), /^draws = /m, "spoilt = ");
} finally {
  rmSync(work, { recursive: true, force: true });
}
