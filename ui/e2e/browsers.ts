import { existsSync } from "node:fs";
import { environment } from "./environment";

const packaged = "/usr/bin/chromium-headless-shell";

/** The ordinary Chromium. */
const whole = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Chromium without windows uses a third less processor time; not every system packages it. */
const headless = process.env.CHROMIUM ?? (existsSync(packaged) ? packaged : whole);

/** Returns the launch options of Chromium; without windows it has no notifications. */
export const chromiumOptions = (windowed: boolean) => ({
  executablePath: windowed ? whole : headless,
  env: environment(),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
  ],
});
