/**
 * Measures the board of deals in Chromium against a running server with many deals:
 * `node build/board-speed.mjs <address> <email> <password>` prints `<what>\t<figure>\t<goal>` per line.
 */
import { launch, median, settled, visit } from "./visitor.mjs";

const [address, email, password] = process.argv.slice(2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3) * 2;
/** How far each column is scrolled: steps of a turn of the wheel. */
const steps = 60;
const pixels = 400;

const watch = () => {
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: "longtask",
  });
};
const browser = await launch();
const { context, page } = await visit(browser, address, { member: { email, password }, watch });

/** Opens the board from the list, and returns how long it takes until all columns have cards on the screen. */
async function open() {
  return page.evaluate(async () => {
    const started = performance.now();
    document.querySelector("main input[value=board]").click();
    await new Promise((done) => {
      const look = () => {
        const columns = [...document.querySelectorAll("section[data-place]")];
        const isPainted = columns.length > 0 && columns.every((column) => column.querySelector("[data-card]"));
        if (isPainted) requestAnimationFrame(() => setTimeout(done));
        else requestAnimationFrame(look);
      };
      look();
    });
    return performance.now() - started;
  });
}

const opened = [];
for (let round = 0; round <= rounds; round += 1) {
  await page.goto("/customers/deals?as=table");
  await settled(page);
  // The first round loads the screen; the others find its scripts in the cache, and no cards.
  if (round === 0) await open();
  else opened.push(await open());
  await settled(page);
}

const total = await page.evaluate(() =>
  [...document.querySelectorAll("section[data-place] h2 [aria-hidden]")].reduce(
    (sum, count) => sum + Number(count.textContent.replace(/\D/g, "")),
    0,
  ),
);
await page.evaluate(() => (window.longTasks.length = 0));
const columns = await page.locator("section[data-place]").count();
let cards = 0;
for (let at = 0; at < columns; at += 1) {
  const column = page.locator("section[data-place]").nth(at);
  await column.scrollIntoViewIfNeeded();
  const box = await column.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let step = 0; step < steps; step += 1) {
    await page.mouse.wheel(0, pixels);
    await page.waitForTimeout(30);
  }
  cards += await column.locator("[data-card]").count();
}
const longest = await page.evaluate(() => Math.max(0, ...window.longTasks));
console.log(
  `board of ${total.toLocaleString("en")} deals, from press to painted, median of ${opened.length}\t${median(opened).toFixed(0)} ms\t≤ 300 ms`,
);
console.log(
  `tasks over 50 ms while ${cards.toLocaleString("en")} of its cards are scrolled through\t${longest ? `longest ${longest.toFixed(0)} ms` : "none"}\tnone`,
);
await context.close();
await browser.close();
