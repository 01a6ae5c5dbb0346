// node build.mjs [--check]: bundles src/ with three.js and uPlot into replay.html, which the library contains. Needs the
// packages that `npm ci` installs here. With --check it only checks that replay.html is up to date.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), "utf8");
const licence = (name) => read(join("node_modules", name, "LICENSE")).trim();

const bundle = await build({
  entryPoints: [join(here, "src", "main.js")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none", // the page has the complete licences: see NOTICES below
});
// Escapes every text in the code that would end its script element or would read as a placeholder of the page.
const code = bundle.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("@@", "@\\x40");
const hash = createHash("sha256").update(code, "utf8").digest("base64");
const notices = ["three", "uplot"].map((name) => `${name}\n\n${licence(name)}`).join("\n\n----\n\n").replaceAll("--", "- -");

const page = read("page.html").replace(/\{\{(\w+)\}\}/g, (_, gap) => ({
  NOTICES: notices,
  HASH: `'sha256-${hash}'`,
  STYLE: (read("node_modules/uplot/dist/uPlot.min.css") + read("page.css")).trim(),
  CODE: code,
})[gap]);

const made = join(here, "replay.html");
if (process.argv.includes("--check")) {
  if (readFileSync(made, "utf8") !== page) {
    console.error("replay.html does not match its sources; run node build.mjs");
    process.exit(1);
  }
} else {
  writeFileSync(made, page);
  console.log(`replay.html: ${page.length} bytes`);
}
