// A headless Chromium for the tests of pages.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const flags = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"];

function skip(why) {
  console.log(`SKIPPED: ${why}`);
  process.exit(0);
}

export async function launch() {
  const executablePath = process.env.TORSOR_CHROMIUM;
  if (!executablePath || !existsSync(executablePath)) skip("there is no chromium");
  const folder = (process.env.TORSOR_NODE_MODULES ?? "").split(":").find((one) => existsSync(join(one, "node_modules/playwright-core")));
  if (!folder) skip("playwright-core is not installed");
  const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");
  return chromium.launch({ executablePath, args: flags });
}

/// Opens a page and records its faults: errors, warnings, dialogs, and requests for other addresses.
export async function open(browser, file, { width = 1000, height = 700, dark = false } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const faults = [], own = pathToFileURL(file).href;
  page.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !/GPU stall|SwiftShader/i.test(message.text())) faults.push(message.text()); });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => { faults.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== own && !/^(data|blob):/.test(request.url())) faults.push(`request for ${request.url()}`); });
  page.setDefaultTimeout(300_000);  // for slow machines
  await page.goto(own);
  return { page, faults };
}
