// Checks that the page in the library is the page that build.mjs makes from the sources.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const modules = (process.env.TORSOR_NODE_MODULES ?? "").split(":").map((folder) => join(folder, "node_modules"))
  .find((folder) => existsSync(join(folder, "esbuild")));
if (!modules) {
  console.log("SKIPPED: esbuild is not installed");
  process.exit(0);
}
const sources = join(dirname(fileURLToPath(import.meta.url)), "../../lib/io/page"), work = mkdtempSync(join(tmpdir(), "torsor-page-"));
try {
  for (const part of ["src", "build.mjs", "page.html", "page.css", "package.json", "replay.html"]) cpSync(join(sources, part), join(work, part), { recursive: true });
  symlinkSync(resolve(modules), join(work, "node_modules"));
  execFileSync(process.execPath, [join(work, "build.mjs"), "--check"], { stdio: "inherit" });
} finally {
  rmSync(work, { recursive: true, force: true });
}
