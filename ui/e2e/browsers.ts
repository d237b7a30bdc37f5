import { existsSync } from "node:fs";

const packaged = "/usr/bin/chromium-headless-shell";

/** Chromium as people have it. */
const whole = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Chromium without windows takes a third less of the processor; not every system packages it. */
const headless = process.env.CHROMIUM ?? (existsSync(packaged) ? packaged : whole);

/** How a Chromium is started; the one without windows has no notifications. */
export const chromiumOptions = (windowed: boolean) => ({
  executablePath: windowed ? whole : headless,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
  ],
});
