import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { LogDock } from "@/features/record-parts/log-dock";
import { useLogging } from "@/features/record-parts/logging";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { QuickActions, type QuickActionsProps } from "./quick-actions";

const server = standInServer();
const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });
const record = { kind: "customer", id: "c1", name: "Ana López" } as const;
const reach = {
  phoneNumbers: [{ country: "ES", phoneNumber: "910 555 214", e164: "+34910555214", label: "" }],
  emails: [{ email: "ana@acme.example", label: "" }],
  address: "Calle Real, 71\n28012 Madrid",
};
const show = (props: Partial<QuickActionsProps> = {}) =>
  renderApp(
    <>
      <QuickActions record={record} reach={reach} {...props} />
      <LogDock />
      <Toaster />
    </>,
  );
const group = () => within(screen.getByRole("group", { name: "Quick actions" }));

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  useLogging.setState({ record: undefined, type: undefined });
  useToasts.setState({ toasts: [] });
  signIn(["comments.write", "tasks.write", "events.write"]);
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
});

test("calls, writes, shows on a map, adds and logs", async () => {
  show();
  expect(group().getByRole("link", { name: "Call Ana López" })).toHaveAttribute("href", "tel:+34910555214");
  expect(group().getByRole("link", { name: "Email Ana López" })).toHaveAttribute("href", "mailto:ana@acme.example");
  const map = group().getByRole("link", { name: "Map of Calle Real, 71, 28012 Madrid" });
  expect(map).toHaveAttribute("href", "https://www.openstreetmap.org/search?query=Calle%20Real%2C%2071%2C%2028012%20Madrid");
  expect(map).toHaveAttribute("rel", "noopener noreferrer");
  expect(group().getByRole("link", { name: "Event for Ana López" })).toHaveAttribute("href", "/events/new?person=c1");
  await userEvent.click(group().getByRole("button", { name: "Task for Ana López" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Log activity with Ana López" }));
  expect(dialog.getByRole("textbox", { name: /^What to do next/ })).toBeVisible();
});

test("there is only what the record has data for, and the member may do", () => {
  signIn([]);
  const { unmount } = show({ reach: { phoneNumbers: [], emails: reach.emails, address: " " } });
  expect(
    group()
      .getAllByRole("link")
      .map((link) => link.getAttribute("aria-label")),
  ).toEqual(["Email Ana López"]);
  expect(group().queryByRole("button")).toBeNull();
  unmount();
  signIn(["comments.write", "tasks.write", "events.write"]);
  show({ isShort: true });
  expect([...group().getAllByRole("link"), ...group().getAllByRole("button")].map((one) => one.textContent)).toEqual([
    "Call",
    "Email",
    "Map",
    "Log",
  ]);
});

test("the offer to log a call stays on the pages of its record, and goes with another one", async () => {
  const { router } = show();
  await act(() => router.navigate("/tasks"));
  const call = group().getByRole("link", { name: "Call Ana López" });
  call.addEventListener("click", (event) => event.preventDefault());
  await userEvent.click(call);
  const offer = () => screen.queryByText("Call to Ana López");
  expect(offer()).toBeVisible();
  for (const path of ["/tasks?q=a", "/customers", "/customers/c1", "/tasks"]) {
    await act(() => router.navigate(path));
    expect(offer()).toBeVisible();
  }
  await act(() => router.navigate("/customers/c2"));
  await waitFor(() => expect(offer()).toBeNull());
});

test("after a call, it is logged with the record, also when someone else of it was called", async () => {
  server.on("POST /api/activities", ({ body }) => new Answer(201, { id: "a1", version: 1, ...(body as object) }));
  const deal = { kind: "deal", id: "d1", name: "Rugs for Oslo" } as const;
  show({ record: deal, reach: { ...reach, name: "Ana López" } });
  const call = group().getByRole("link", { name: "Call Ana López" });
  call.addEventListener("click", (event) => event.preventDefault());
  await userEvent.click(call);
  expect(await screen.findByText("Call to Ana López")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Log this call" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Log activity on Rugs for Oslo" }));
  await userEvent.click(dialog.getByRole("button", { name: "Log call" }));
  await waitFor(() => expect(server.sent("POST /api/activities")).toHaveLength(1));
  expect(server.sent("POST /api/activities")[0]?.body).toMatchObject({ type: "call", links: [{ kind: "deal", recordId: "d1" }] });
  // A call that is logged in another way needs no offer.
  await userEvent.click(call);
  expect(await screen.findByText("Call to Ana López")).toBeVisible();
  await userEvent.click(group().getByRole("button", { name: "Log activity on Rugs for Oslo" }));
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Log call" }));
  await waitFor(() => expect(screen.queryByText("Call to Ana López")).toBeNull());
});
