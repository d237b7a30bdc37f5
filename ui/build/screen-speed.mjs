/**
 * Measures the built interface in Chromium against a running server with demo data:
 * `node build/screen-speed.mjs <address> <email> <password>` prints `<what>\t<figure>\t<goal>` per line.
 *
 * First loads are timed with an empty cache on a simulated slow 4G (150 ms, 1.6 Mbit/s, processor slowed four times),
 * moves between screens that were loaded before at full speed.
 */
import { launch, median, percentile, settled, visit } from "./visitor.mjs";

const [address, email, password] = process.argv.slice(2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const browser = await launch();

/** Records paints, layout shifts and input delay. */
const watch = () => {
  const seen = { paint: 0, shift: 0, delay: 0 };
  window.seen = seen;
  const observe = (type, take, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options });
  observe("largest-contentful-paint", (entry) => (seen.paint = entry.startTime));
  observe("layout-shift", (entry) => (seen.shift += entry.hadRecentInput ? 0 : entry.value));
  observe("event", (entry) => (seen.delay = Math.max(seen.delay, entry.processingStart - entry.startTime)), { durationThreshold: 16 });
};
const visitor = (isSignedIn) => visit(browser, address, { watch, ...(isSignedIn && { member: { email, password } }) });

async function slow(page) {
  const session = await page.context().newCDPSession(page);
  const rate = 1_600_000 / 8;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: rate,
    uploadThroughput: rate,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

const first = { "/sign-in": [], "/dashboard": [] };
const delays = [];
for (let round = 0; round < rounds; round += 1) {
  for (const [path, found] of Object.entries(first)) {
    const { context, page } = await visitor(path === "/dashboard");
    await slow(page);
    await page.goto(path);
    await settled(page);
    found.push(await page.evaluate(() => ({ ...window.seen })));
    if (path === "/dashboard") {
      for (const name of ["Notifications", "Messages", "Shortcuts"]) {
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "hidden" });
      }
      delays.push(await page.evaluate(() => window.seen.delay));
    }
    await context.close();
  }
}
for (const [path, found] of Object.entries(first)) {
  console.log(`LCP of ${path}, slow 4G, empty cache\t${(median(found.map(({ paint }) => paint)) / 1000).toFixed(2)} s\t≤ 2.0 s`);
  console.log(`layout shift of ${path}\t${Math.max(...found.map(({ shift }) => shift)).toFixed(3)}\t≤ 0.02`);
}
console.log(`input delay, panels of the header, processor slowed 4 ×\t${median(delays).toFixed(0)} ms\t≤ 100 ms`);

const { context, page } = await visitor(true);
await page.goto("/dashboard");
await settled(page);
const screens = ["Events", "Tasks", "Customers", "Team", "Pages", "Dashboard"];
const moves = [];
for (let round = 0; round < 1 + rounds * 2; round += 1) {
  for (const name of screens) {
    const move = await page.evaluate(async (title) => {
      const link = [...document.querySelectorAll("nav a")].find((a) => a.textContent.trim().startsWith(title));
      const before = document.querySelector("main h1");
      const started = performance.now();
      link.click();
      await new Promise((done) => {
        const look = () => {
          const now = document.querySelector("main h1");
          if (now && now !== before) requestAnimationFrame(() => setTimeout(done));
          else requestAnimationFrame(look);
        };
        look();
      });
      return performance.now() - started;
    }, name);
    // The first round loads the screens.
    if (round > 0) moves.push(move);
    await settled(page);
  }
}
console.log(`moving between loaded screens, click to painted, p95 of ${moves.length}\t${percentile(moves, 0.95).toFixed(0)} ms\t≤ 100 ms`);
await context.close();
await browser.close();
