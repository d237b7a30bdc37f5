import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Setup } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { SampleDataButton } from "./sample-data-button";
import { SetupCard } from "./setup-card";
import { SetupSettings } from "./setup-settings";

const server = standInServer();

const setup = (more: Partial<Setup> = {}, done: string[] = []): Setup => ({
  isNew: true,
  hidden: false,
  steps: (["look", "people", "mail", "customers", "task"] as const).map((name) => ({ name, done: done.includes(name) })),
  sampleData: { state: "none", records: 0 },
  ...more,
});
const asAdmin = () => accept({ ...signedIn(), user: { ...mira, permissions: ["settings.company", "customers.write"] } });
const lastToast = () => useToasts.getState().toasts.at(-1)?.text;

it("shows the steps with links to what is open, and counts what is done", async () => {
  asAdmin();
  server.on("GET /api/setup", () => setup({}, ["look", "task"]));
  renderApp(<SetupCard />);
  expect(await screen.findByText("2 of 5 done")).toBeVisible();
  const links = within(screen.getByRole("list")).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    "/team/list",
    "/settings/company#mail",
    "/imports/new?kind=customers",
    "/customers/new",
  ]);
  expect(screen.getByText("Choose a logo and colors").closest("li")).toHaveTextContent("Done");
  expect(screen.getByText("They get an email with a link.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Add sample data" })).toBeNull();
});

it("without a mail server says that invitations give links", async () => {
  asAdmin();
  server.on("GET /api/setup", () => setup({ steps: [{ name: "people", done: false }] }));
  renderApp(<SetupCard />);
  expect(await screen.findByText("Email isn’t set up, so you get a link for each person.")).toBeVisible();
});

it("asks the server nothing for members without the right", () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.write"] } });
  renderApp(
    <>
      <SetupCard />
      <SampleDataButton />
      <SetupSettings />
    </>,
  );
  expect(server.calls).toEqual([]);
  expect(screen.queryByText("First steps")).toBeNull();
});

it.each<[string, Setup]>([
  ["is put away", setup({ hidden: true })],
  ["is no longer new", setup({ isNew: false })],
  ["has all steps done", setup({}, ["look", "people", "mail", "customers", "task"])],
])("shows no card when the company %s", async (_, data) => {
  asAdmin();
  server.on("GET /api/setup", () => data);
  renderApp(<SetupCard />);
  await waitFor(() => expect(server.sent("GET /api/setup")).toHaveLength(1));
  await waitFor(() => expect(screen.queryByText("First steps")).toBeNull());
});

it("puts the card away, and shows it again in the settings", async () => {
  asAdmin();
  let hidden = false;
  server.on("GET /api/setup", () => setup({ hidden }));
  server.on("PATCH /api/setup", ({ body }) => {
    hidden = (body as { hidden: boolean }).hidden;
    return setup({ hidden });
  });
  renderApp(
    <>
      <SetupCard />
      <SetupSettings />
    </>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Hide first steps" }));
  await waitFor(() => expect(screen.queryByRole("heading", { name: "First steps" })).toBeNull());
  expect(lastToast()).toBe("First steps are hidden. You can show them again in the company’s settings.");
  const again = screen.getByRole("switch", { name: "Show first steps on my dashboard" });
  expect(again).not.toBeChecked();
  await userEvent.click(again);
  expect(await screen.findByRole("heading", { name: "First steps" })).toBeVisible();
});

it("adds sample data, and removes it with what became of it", async () => {
  asAdmin();
  let sampleData: Setup["sampleData"] = { state: "available", records: 0 };
  server.on("GET /api/setup", () => setup({ sampleData }));
  server.on("PUT /api/setup/sample-data", () => {
    sampleData = { state: "present", records: 35 };
    return setup({ sampleData });
  });
  server.on("DELETE /api/setup/sample-data", () => {
    sampleData = { state: "none", records: 0 };
    return { purged: 33, binned: 2 };
  });
  renderApp(<SetupCard />);
  await userEvent.click(await screen.findByRole("button", { name: "Add sample data" }));
  expect(await screen.findByText(/^35 sample records are in your company/)).toBeVisible();
  await waitFor(() => expect(lastToast()).toBe("Sample data was added."));
  const again = screen.getByRole("button", { name: "Remove sample data" });
  await userEvent.click(again);
  expect(server.sent("DELETE /api/setup/sample-data"), "the second press of a double click").toEqual([]);
  await waitFor(() => expect(again).not.toHaveAttribute("aria-disabled"), { timeout: 3_000 });
  await userEvent.click(again);
  await waitFor(() => expect(lastToast()).toBe("33 sample records were deleted. 2 that were changed are in the trash."));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Remove sample data" })).toBeNull());
  expect(screen.getByText("First steps")).toBeVisible();
});

it("stays for the sample data when all steps are done", async () => {
  asAdmin();
  const sampleData = { state: "present", records: 35 } as const;
  server.on("GET /api/setup", () => setup({ sampleData }, ["look", "people", "mail", "customers", "task"]));
  renderApp(<SetupCard />);
  expect(await screen.findByText("All steps are done.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Remove sample data" })).toBeVisible();
});

it("offers sample data on empty lists only while it can be added", async () => {
  asAdmin();
  let state: Setup["sampleData"]["state"] = "available";
  server.on("GET /api/setup", () => setup({ sampleData: { state, records: 0 } }));
  const { client } = renderApp(<SampleDataButton />);
  expect(await screen.findByRole("button", { name: "Add sample data" })).toBeVisible();
  state = "none";
  await client.invalidateQueries({ queryKey: ["setup"] });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Add sample data" })).toBeNull());
});
