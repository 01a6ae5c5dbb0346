// node replay_test.mjs FOLDER: the replays that make_pages.cmake made, in a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./browser.mjs";

const folder = process.argv[2];
const browser = await launch();

/// Opens a replay, waits until it is ready, runs `check`, and checks that the page reported no fault.
async function replay(name, check, options) {
  const { page, faults } = await open(browser, join(folder, `${name}.html`), options);
  await page.waitForSelector("html[data-state=ready]", { state: "attached", timeout: 120000 });
  await check(page);
  assert.deepEqual(faults, [], name);
  await page.close();
}
const get = (page, text) => page.evaluate(text);
/// Waits until an expression holds on the page.
async function until(page, text) {
  for (let tries = 0; tries < 1200; ++tries) {
    if (await get(page, text)) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`never true: ${text}`);
}
const end = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));

/// For each body, the greatest change of a colour value (0 to 255) near its projected centre when bodies are hidden.
const seen = () => {
  const canvas = document.getElementById("space"), ratio = canvas.width / canvas.clientWidth, box = canvas.getBoundingClientRect();
  const read = () => {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const paper = copy.getContext("2d");
    paper.drawImage(canvas, 0, 0);
    return paper.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const shown = read();
  const places = window.replay.data.bodies.map((_, i) => window.replay.project(i));
  window.replay.showBodies(false);
  const hidden = read();
  window.replay.showBodies(true);
  return places.map(({ x, y }) => {
    const [px, py] = [Math.round((x - box.left) * ratio), Math.round((y - box.top) * ratio)];
    let most = 0;
    for (let dy = -2; dy <= 2; ++dy)
      for (let dx = -2; dx <= 2; ++dx) {
        const at = 4 * ((py + dy) * canvas.width + px + dx);
        for (let k = 0; k < 3; ++k) most = Math.max(most, Math.abs(shown[at + k] - hidden[at + k]));
      }
    return most;
  });
};

for (const name of ["heavy_top", "four_bars", "disk", "tetrahedron", "chain"])
  for (const size of [{ width: 1000, height: 700 }, { width: 390, height: 844, dark: true }])
    await replay(name, async (page) => {
      const title = await get(page, "replay.data.title");
      assert.equal(await page.title(), title);
      assert.equal(await page.textContent("#title"), title);
      const canvas = await page.locator("#space").boundingBox();
      assert.ok(canvas.width === size.width && canvas.height > 200, `${name}: canvas ${canvas.width} x ${canvas.height}`);
      for (const part of [0, 0.37, 1]) {
        await get(page, `replay.seek(replay.data.times[0] + ${part} * (replay.data.times.at(-1) - replay.data.times[0]))`);
        const changes = await page.evaluate(seen);
        changes.forEach((change, i) => assert.ok(change > 12, `${name} ${size.width}: body ${i} is not seen (${change}) at ${part}`));
      }
      const wide = await get(page, "document.documentElement.scrollWidth - window.innerWidth");
      assert.ok(wide <= 0, `${name}: ${wide} pixels too wide`);
      for (const button of await page.locator("nav button, nav select, #clock, #charts figure >> visible=true").all()) {
        const box = await button.boundingBox();
        assert.ok(!box || (box.x >= 0 && box.x + box.width <= size.width), `${name}: a control leaves the page`);
      }
      assert.ok(await get(page, "document.documentElement.scrollHeight - window.innerHeight") <= 0, `${name}: higher than the window`);
    }, size);

await replay("heavy_top", async (page) => {
  const place = () => get(page, "replay.place(0)");
  // The page ends where the run ended.
  await get(page, "replay.seek(1e9)");
  const last = end("heavy_top").bodies.top.x;
  (await place()).forEach((x, k) => assert.ok(Math.abs(x - last[k]) < 1e-6));

  // Play moves the body, and pause stops it.
  await page.keyboard.press("Home");
  const before = await place();
  await page.click("#play");
  await until(page, "replay.time > 0.05");
  assert.notDeepEqual(await place(), before);
  await page.click("#play");
  const stopped = await get(page, "replay.time");
  await page.waitForTimeout(200);
  assert.equal(await get(page, "replay.time"), stopped);

  // The slider #scrub sets the time, and the clock shows it.
  await page.locator("#scrub").fill("0.5");
  assert.equal(await get(page, "replay.time"), 0.5);
  await until(page, "document.getElementById('clock').textContent.startsWith('0.5')");

  // Keys set the time, start and stop the replay, and show and hide parts of the page.
  await page.locator("#space").focus();
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs(await get(page, "replay.time") - 0.51) < 1e-12);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.ok(Math.abs(await get(page, "replay.time") - 0.4) < 1e-12);
  await page.keyboard.press("End");
  assert.equal(await get(page, "replay.time"), 2);
  await page.keyboard.press(" ");
  assert.equal(await get(page, "replay.playing"), true);
  await page.keyboard.press(" ");
  assert.equal(await get(page, "replay.playing"), false);
  await page.keyboard.press("s");
  await until(page, "/^top: turn 1[45]\\d/.test(document.getElementById('screw').textContent)");
  await page.keyboard.press("n");
  await until(page, "[...document.querySelectorAll('#labels span')].every((one) => one.hidden)");
  await page.keyboard.press("?");
  assert.equal(await page.locator("#keys").isVisible(), true);
  await page.keyboard.press("Escape");
  await page.keyboard.press("o");
  assert.equal(await page.locator("#options").isVisible(), true);
  const names = page.locator("#options input").first(), shown = await names.isChecked();
  await names.focus();
  await page.keyboard.press(" ");
  assert.equal(await names.isChecked(), !shown);
  assert.equal(await get(page, "replay.playing"), false);

  // A click on a curve sets the time too, and every curve can be chosen.
  const curve = await page.locator("#charts .u-over").first().boundingBox();
  await page.mouse.click(curve.x + curve.width / 2, curve.y + curve.height / 2);
  assert.ok(Math.abs(await get(page, "replay.time") - 1) < 0.02);
  for (const value of await page.locator("#charts select").first().locator("option").evaluateAll((all) => all.map((one) => one.value))) {
    await page.locator("#charts select").first().selectOption(value);
    assert.notEqual((await page.textContent("#charts output")).trim(), "");
  }
  assert.deepEqual(await get(page, "replay.axes"), ["t (s)", "t (s)"]);
});

await replay("four_bars", async (page) => {
  // The motion is planar, so two components of the angular velocity vanish. The first of these equal lines is wider.
  const select = page.locator("#charts select").first();
  const labels = await select.locator("option").allTextContents();
  await select.selectOption({ label: labels.find((one) => one.startsWith("angular velocity of ")) });
  const widths = await get(page, "replay.widths[0]");
  assert.equal(widths.filter((one) => one === 1.5).length, 2, `${widths}`);
  assert.equal(widths.filter((one) => one === 3.5).length, 1, `${widths}`);
  await select.selectOption({ label: labels.find((one) => one.startsWith("energy drift")) });
  assert.deepEqual(await get(page, "replay.widths[0]"), [1.5]);
});

await replay("heavy_top", async (page) => {
  // Dragging turns the view.
  const before = await get(page, "replay.project(0)");
  await page.mouse.move(500, 150);
  await page.mouse.down();
  await page.mouse.move(620, 190, { steps: 4 });
  await page.mouse.up();
  assert.notDeepEqual(await get(page, "replay.project(0)"), before);
  // The dark colour scheme changes the background.
  const shade = () => get(page, "getComputedStyle(document.body).backgroundColor");
  const light = await shade();
  await page.emulateMedia({ colorScheme: "dark" });
  assert.notEqual(await shade(), light);
});

await replay("curved_sleigh", async (page) => {
  assert.match(await page.textContent("#message"), /can be drawn.*Its curves are below/);
  assert.equal(await page.locator("#message").isVisible(), true);
  await page.keyboard.press("End");
  assert.ok(await get(page, "replay.time > 0"));
  assert.ok((await page.locator("#charts select").first().textContent()).includes("coordinate."));
});

// A rigid system of sixty nodes, whose points in all frames are more than a function of the browser takes as arguments.
await replay("nodes", async (page) => {
  assert.equal(await get(page, "document.getElementById('message').textContent"), "");
  assert.ok((await page.evaluate(seen))[0] > 12, "the system is not seen");
});

// The replays of one pendulum, in two angles and as a particle on a rod, show the particle at the same places.
const places = [];
for (const name of ["moving_pendulum_chart", "support"])
  await replay(name, async (page) => {
    places.push(await get(page, "[0, 3.3, 10].map((t) => (replay.seek(t), replay.place(0)))"));
    assert.ok((await page.evaluate(seen))[0] > 12, `${name}: the particle is not seen`);
    assert.ok((await page.locator("#charts select").first().textContent()).includes(name === "support" ? "residual" : "coordinate."));
  });
places[0].forEach((at, i) => at.forEach((x, k) => assert.ok(Math.abs(x - places[1][i][k]) < 1e-5, `${x}, not ${places[1][i][k]}`)));

await replay("support", async (page) => {
  // The rod reaches from the particle to the support, which moves.
  const ends = await get(page, "replay.seek(2), replay.link(0)");
  const lengths = ends.a.map((x, k) => x - ends.b[k]);
  assert.ok(Math.abs(Math.hypot(...lengths) - 1) < 1e-5);
  assert.ok(Math.abs(Math.min(Math.abs(ends.a[2]), Math.abs(ends.b[2])) - Math.abs(0.2 * Math.cos(6))) < 1e-5);
});

await replay("glyphs", async (page) => {
  const kinds = await get(page, "[...new Set(replay.data.joints.filter((one) => one.kind !== 'free').map((one) => one.kind))].sort()");
  assert.deepEqual(kinds, ["blade", "direction", "gear", "motor", "planar", "plane", "point", "prismatic", "rack", "rail", "revolute", "spherical", "turn"]);
  assert.equal(await get(page, "replay.glyphs"), await get(page, "replay.data.joints.filter((one) => one.kind !== 'free').length"));
});

await replay("hostile", async (page) => {
  const markup = "</script><img src=x onerror=alert(1)>";
  assert.equal(await page.title(), markup);
  assert.equal(await page.textContent("#title"), markup);
  assert.ok((await page.locator("#labels span").allTextContents()).includes(`${markup}top`));
  await page.keyboard.press("o");
  await page.locator("#screws").selectOption("0");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.textContent("#warning")).includes(markup));
}, { width: 390, height: 844 });

await browser.close();
console.log("all pages are right");
