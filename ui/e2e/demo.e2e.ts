import { afterAll, beforeAll } from "vitest";
import { type Demo, startDemo } from "./server";
import { look, shown, signIn, test } from "./stage";

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.stop());

test("signs in to the demo with the printed password, and its full screens pass the checks", async ({ visit }) => {
  const { page, open } = await visit({ origin: demo.url });
  await open("/");
  await signIn(page, demo.email, demo.password);
  await shown(page.getByRole("button", { name: "User menu" }));
  for (const screen of ["dashboard", "dashboards/analytics", "events", "tasks", "customers", "pages", "team/list"]) {
    await open(`/${screen}`);
    await look(page, screen, "demo");
  }
});
