import { afterAll, beforeAll } from "vitest";
import { type Demo, startDemo } from "./server";
import { look, shown, signIn, test } from "./stage";

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.stop());

test("the demo lets one in with what it prints, and its screens hold much as they hold little", async ({ visit }) => {
  const { page, open } = await visit({ origin: demo.url });
  await open("/");
  await signIn(page, demo.email, demo.password);
  await shown(page.getByRole("button", { name: "User menu" }));
  for (const screen of ["dashboard", "dashboards/analytics", "events", "tasks", "customers", "pages", "team/list"]) {
    await open(`/${screen}`);
    await look(page, screen, "demo");
  }
});
