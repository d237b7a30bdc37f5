import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { PipelinePatch } from "@/api/schema";
import { accept } from "@/api/session";
import { pipeline } from "@/test/deals";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { PipelineCard } from "./company/pipeline-form";

const server = standInServer();
let kept = pipeline;
const onDirty = () => undefined;
const sent = () => server.sent("PATCH /api/deals/pipeline").map(({ body }) => body as PipelinePatch);
const save = () => userEvent.click(screen.getByRole("button", { name: "Save changes" }));

beforeEach(() => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["settings.company", "deals.read"] } });
  kept = pipeline;
  server.on("GET /api/deals/pipeline", () => kept);
  server.on("PATCH /api/deals/pipeline", () => ({ ...kept, version: kept.version + 1 }));
});

it("names, orders, adds and removes stages, and sends them with the version that was read", async () => {
  renderApp(<PipelineCard onDirty={onDirty} />);
  const name = await screen.findByRole("textbox", { name: "Name of stage 1" });
  await userEvent.clear(name);
  await userEvent.type(name, "First talk");
  screen.getByRole("button", { name: "Move Proposal" }).focus();
  await userEvent.keyboard("{ArrowUp}");
  expect(screen.getByRole("button", { name: "Move Proposal" })).toHaveFocus();
  expect(screen.getByText("Proposal: place 2 of 3")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Add stage" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Name of stage 4" }), "Contract");
  const percent = screen.getByRole("textbox", { name: "Probability of stage 4 in percent" });
  await userEvent.clear(percent);
  await userEvent.type(percent, "120");
  await save();
  expect(await screen.findByText("0 to 100")).toBeVisible();
  await userEvent.clear(percent);
  await userEvent.type(percent, "90");
  await save();
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toEqual({
    stages: [
      { id: "new", name: "First talk", probability: 10 },
      { id: "proposal", name: "Proposal", probability: 50 },
      { id: "qualified", name: "Qualified", probability: 25 },
      { name: "Contract", probability: 90 },
    ],
  });
  expect(server.sent("PATCH /api/deals/pipeline")[0]?.headers.get("If-Match")).toBe('"1"');
});

it("refuses a name that is there twice", async () => {
  renderApp(<PipelineCard onDirty={onDirty} />);
  const name = await screen.findByRole("textbox", { name: "Name of stage 1" });
  await userEvent.clear(name);
  await userEvent.type(name, "proposal ");
  await save();
  expect((await screen.findAllByText("This name is already in use."))[0]).toBeVisible();
  expect(sent()).toEqual([]);
});

it("asks where the deals of a removed stage go", async () => {
  const inUse = { code: "invalid", message: "No", fields: { moves: "A stage you removed has deals." } };
  server.on("PATCH /api/deals/pipeline", ({ body }) =>
    (body as PipelinePatch).moves ? { ...pipeline, version: 2, stages: pipeline.stages.slice(1) } : new Answer(422, { error: inUse }),
  );
  renderApp(<PipelineCard onDirty={onDirty} />);
  await userEvent.click(await screen.findByRole("button", { name: "Remove New" }));
  await save();
  const dialog = within(await screen.findByRole("dialog", { name: "Where do the deals go?" }));
  await userEvent.click(dialog.getByRole("button", { name: /Move deals in “New” to/ }));
  await userEvent.click(await screen.findByRole("option", { name: "Proposal" }));
  await userEvent.click(dialog.getByRole("button", { name: "Move and save" }));
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toMatchObject({ moves: [{ from: "new", to: "proposal" }], stages: [{ id: "qualified" }, { id: "proposal" }] });
  await waitFor(() => expect(screen.getByRole("button", { name: "Save changes" })).toBeDisabled());
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("keeps the reasons of each outcome apart, and leaves out those that were removed", async () => {
  renderApp(<PipelineCard onDirty={onDirty} />);
  const lost = within(await screen.findByRole("group", { name: "Reasons for lost deals" }));
  await userEvent.click(lost.getByRole("button", { name: "Add reason" }));
  await userEvent.type(lost.getByRole("textbox", { name: "Reason 2" }), "Timing");
  await userEvent.click(lost.getByRole("button", { name: "Move Timing" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "To the start" }));
  expect(lost.getByRole("textbox", { name: "Reason 1" })).toHaveValue("Timing");
  await save();
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toEqual({
    reasons: [
      { name: "Timing", outcome: "lost" },
      { id: "price", name: "Price", outcome: "lost" },
      { id: "service", name: "Our service", outcome: "won" },
    ],
  });
});

it("shows both versions when a colleague changed the stages meanwhile", async () => {
  renderApp(<PipelineCard onDirty={onDirty} />);
  const name = await screen.findByRole("textbox", { name: "Name of stage 1" });
  await userEvent.clear(name);
  await userEvent.type(name, "First talk");
  kept = { ...pipeline, version: 2, stages: pipeline.stages.map((stage) => ({ ...stage, probability: 5 })) };
  server.on("PATCH /api/deals/pipeline", ({ headers }) =>
    headers.get("If-Match") === '"2"'
      ? { ...kept, version: 3 }
      : new Answer(412, { error: { code: "stale_version", message: "Someone else changed it." } }),
  );
  await save();
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(/First talk \(10 %\)/)).toBeVisible();
  expect(dialog.getByText(/New \(5 %\)/)).toBeVisible();
});
