// node shoot.mjs REPLAY PICTURE [TIME]: writes a picture of a replay page at a time, s (default: as the page opens).
// Needs Chromium (its path in TORSOR_CHROMIUM, by default /usr/bin/chromium) and the packages that `npm ci` installs
// here or in build/page.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = [here, join(here, "../../../build/page")].find((one) => existsSync(join(one, "node_modules/playwright-core")));
const { chromium } = createRequire(join(folder ?? here, "package.json"))("playwright-core");
const [replay, picture, time] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath: process.env.TORSOR_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-gl=angle",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"] });
const page = await browser.newPage({ viewport: { width: 1000, height: 620 }, deviceScaleFactor: 1 });
await page.goto(pathToFileURL(resolve(replay)).href);
await page.waitForSelector("html[data-state=ready]", { state: "attached" });
if (time !== undefined) await page.evaluate(`replay.seek(${Number(time)})`);
await page.screenshot({ path: picture });
await browser.close();
