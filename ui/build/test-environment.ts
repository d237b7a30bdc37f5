/**
 * Tests read dates in this time zone and language, whatever the machine has. Imported by the settings of the tests, because
 * the processes that run them have both from their start.
 */
if (process.env.VITEST) {
  Object.assign(process.env, { TZ: "UTC", LANG: "en_US.UTF-8", LC_ALL: "en_US.UTF-8", LANGUAGE: "en" });
}
