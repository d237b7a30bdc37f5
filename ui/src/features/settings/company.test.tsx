import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { accept, useSession } from "@/api/session";
import { toast } from "@/lib/toast";
import { useCompanyInfo } from "@/shell/company-info";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { pointer } from "./company/place-form";
import { CompanySection } from "./company-section";

const server = standInServer();
const company = {
  id: "c1",
  version: 3,
  updated_at: "",
  slug: "northwind",
  name: "Northwind",
  color_scheme: "brand",
  layout: "modern",
  locale: "en",
  timezone: "UTC",
  region: mira.region,
  domains: [],
  supportLink: null,
  logotipo_dark: null,
  logotipo_light: null,
  idleMinutes: 30,
  secondFactor: { required: false, graceDays: 7 },
  joining: { enabled: false, domains: [], role: "member" },
};

const signIn = (permissions: string[]) => {
  accept(signedIn());
  useSession.setState({ state: "signed-in", user: { ...mira, permissions } });
};

beforeEach(() => {
  signIn(["settings.company", "tenant.own"]);
  useCompanyInfo.setState({ company: { name: "Northwind", color_scheme: "brand", layout: "modern" } });
  server.on("GET /api/settings/company", () => company);
  server.on("GET /api/settings/company/mail", () => ({ configured: true }));
  server.on("GET /api/settings/single-sign-on", () => ({ issuers: [] }));
  server.on("GET /api/auth/factors", () => ({ password: true, passkeys: [], totp: false, recoveryCodesLeft: 0, required: false }));
  server.on("GET /api/common/user", () => useSession.getState().user);
  server.on("GET /api/team", () => ({ items: [{ id: "u2", name: "José Núñez", email: "j@n.example", state: "active" }], total: 1 }));
  server.on("PATCH /api/settings/company", ({ body }) => ({ ...company, ...(body as object), version: 4 }));
});

const form = async (title: string) => {
  const heading = await screen.findByRole("heading", { name: title });
  return within(heading.closest("form") as HTMLElement);
};

it("sends a test email and reports it only when the server accepted it", async () => {
  const reported = vi.spyOn(toast, "success");
  const path = "POST /api/settings/company/mail/test";
  server.on(path, () => new Answer(503, { error: { code: "busy", message: "It was not accepted." } }));
  renderApp(<CompanySection />);
  const send = await screen.findByRole("button", { name: "Send test email" });
  await userEvent.click(send);
  await waitFor(() => expect(server.sent(path)).toHaveLength(1));
  await waitFor(() => expect(send).not.toHaveAttribute("aria-busy"));
  expect(reported).not.toHaveBeenCalled();
  server.on(path, () => ({ email: "mira@northwind.example" }));
  await userEvent.click(send);
  const text = "The mail server accepted the test email. Check mira@northwind.example.";
  await waitFor(() => expect(reported).toHaveBeenCalledWith(text));
});

it("tells administrators that email is off", async () => {
  server.on("GET /api/settings/company/mail", () => ({ configured: false }));
  renderApp(<CompanySection />);
  expect(await screen.findByText(/Email isn’t set up on this server/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Send test email" })).toBeNull();
});

it("sends only changed fields, and warns that a new short name breaks links", async () => {
  renderApp(<CompanySection />);
  const card = await form("Company");
  const slug = card.getByLabelText(/Short name/);
  await userEvent.clear(slug);
  await userEvent.type(slug, "north-wind");
  expect(card.getByText(/Links, bookmarks and apps that use “northwind” will stop working/)).toBeVisible();
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(server.sent("PATCH /api/settings/company")).toHaveLength(1));
  expect(server.sent("PATCH /api/settings/company")[0]?.body).toEqual({ slug: "north-wind" });
  expect(server.sent("PATCH /api/settings/company")[0]?.headers.get("if-match")).toBe('"3"');
});

it("saves the sign-in rules, and shows the fields and warnings of each", async () => {
  renderApp(<CompanySection />);
  const card = await form("Sign-in");
  expect(card.queryByLabelText(/Days to set it up/)).toBeNull();
  await userEvent.click(card.getByRole("switch", { name: /Require two-step verification/ }));
  const days = card.getByLabelText(/Days to set it up/);
  await userEvent.clear(days);
  await userEvent.type(days, "0");
  expect(card.getByText(/interrupted immediately/)).toBeVisible();
  await userEvent.click(card.getByRole("switch", { name: /Let people sign up/ }));
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  expect(await card.findByText("Enter at least one domain.")).toBeVisible();
  await userEvent.type(card.getByLabelText(/Allowed email domains/), "gmail.com{Enter}");
  expect(card.getByText(/Anyone can get an address at gmail.com/)).toBeVisible();
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(server.sent("PATCH /api/settings/company")).toHaveLength(1));
  expect(server.sent("PATCH /api/settings/company")[0]?.body).toEqual({
    secondFactor: { required: true, graceDays: 0 },
    joining: { enabled: true, domains: ["gmail.com"], role: "member" },
  });
});

// What was not changed stays no choice of the company: it follows the language of each member (F-M4).
it("changes of the region of the company only what was changed in the form", async () => {
  renderApp(<CompanySection />);
  const card = await form("Language and web addresses");
  expect(card.getByRole("button", { name: /First day of the week/ })).toHaveTextContent("Sunday");
  await userEvent.click(card.getByRole("button", { name: /First day of the week/ }));
  await userEvent.click(await screen.findByRole("option", { name: "Monday" }));
  await userEvent.click(card.getByRole("button", { name: /Dates/ }));
  await userEvent.click(await screen.findByRole("option", { name: "31/12/2026" }));
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(server.sent("PATCH /api/settings/company")).toHaveLength(1));
  expect(server.sent("PATCH /api/settings/company")[0]?.body).toEqual({
    region: { firstDay: "monday", dateFormat: "dmy" },
  });
});

it("shows the DNS record for each domain except the current one", async () => {
  server.on("GET /api/settings/company", () => ({ ...company, domains: ["atrium.example", "a.example"] }));
  renderApp(<CompanySection />);
  const card = await form("Language and web addresses");
  expect(card.getByText("a.example. CNAME atrium.example.")).toBeVisible();
  expect(card.queryByText(/^atrium\.example\. CNAME/)).toBeNull();
  expect(pointer("10.0.0.7")).toEqual({ type: "A", target: "10.0.0.7" });
  expect(pointer("[fd00::7]")).toEqual({ type: "AAAA", target: "fd00::7" });
});

it("asks a member without password only for the short name before closing the company", async () => {
  server.on("GET /api/auth/factors", () => ({ password: false, totp: false, recoveryCodesLeft: 0, passkeys: [], required: false }));
  renderApp(<CompanySection />);
  await userEvent.click(await screen.findByRole("button", { name: "Close…" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText("To continue, enter the short name “northwind”.")).toBeVisible();
  expect(dialog.queryByLabelText(/^Your password/)).toBeNull();
});

it("shows server errors at their fields, and those of list entries at the list", async () => {
  const refused = { code: "invalid", message: "No", fields: { "domains.0": "Ask for this one.", supportLink: "Not this one." } };
  server.on("GET /api/settings/company", () => ({ ...company, domains: ["a.example", "b.example"] }));
  server.on("PATCH /api/settings/company", () => new Answer(422, { error: refused }));
  renderApp(<CompanySection />);
  const card = await form("Language and web addresses");
  const domains = within(card.getByRole("group", { name: "Domains" }));
  expect(domains.queryByRole("textbox")).toBeNull();
  await userEvent.click(domains.getByRole("button", { name: /b\.example/ }));
  expect(card.getByText(/a.example. CNAME/)).toBeVisible();
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  expect(await card.findByText("Ask for this one.")).toBeVisible();
  expect(card.getByText("Not this one.")).toBeVisible();
});

it("transfers the company to a chosen member with the password", async () => {
  let tries = 0;
  server.on("POST /api/settings/company/hand-over", () =>
    tries++ === 0
      ? new Answer(400, { error: { code: "invalid_credentials", message: "No", fields: { password: "Wrong" } } })
      : new Answer(204),
  );
  renderApp(<CompanySection />);
  await userEvent.click(await screen.findByRole("button", { name: "Transfer…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Transfer ownership" }));
  await userEvent.type(dialog.getByLabelText(/^Your password/), "secret");
  await userEvent.click(dialog.getByRole("button", { name: "Transfer ownership" }));
  expect(await dialog.findByText("Choose the new owner.")).toBeVisible();
  expect(tries).toBe(0);
  await userEvent.click(dialog.getByRole("combobox", { name: "New owner" }));
  await userEvent.click(await screen.findByRole("option", { name: /José Núñez/ }));
  expect(dialog.getByText(/José Núñez becomes an owner/)).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "Transfer ownership" }));
  await waitFor(() => expect(dialog.getByLabelText(/^Your password/)).toBeInvalid());
  await userEvent.click(dialog.getByRole("button", { name: "Transfer ownership" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(server.sent("POST /api/settings/company/hand-over").at(-1)?.body).toEqual({ memberId: "u2", password: "secret" });
});

it("closes the company only when its short name was typed", async () => {
  server.on("POST /api/settings/company/close", () => ({ erasedAt: "2026-12-21T09:30:00Z" }));
  renderApp(<CompanySection />);
  await userEvent.click(await screen.findByRole("button", { name: "Close…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Close Northwind?" }));
  expect(dialog.getAllByRole("listitem")).toHaveLength(3);
  await userEvent.type(dialog.getByLabelText(/Short name/), "north");
  await userEvent.type(dialog.getByLabelText(/^Your password/), "secret");
  await userEvent.click(dialog.getByRole("button", { name: "Close the company" }));
  expect(await dialog.findByText("Enter exactly “northwind”.")).toBeVisible();
  await userEvent.type(dialog.getByLabelText(/Short name/), "wind");
  await userEvent.click(dialog.getByRole("button", { name: "Close the company" }));
  await waitFor(() => expect(server.sent("POST /api/settings/company/close")[0]?.body).toEqual({ slug: "northwind", password: "secret" }));
});

it("hides owner settings from other members", async () => {
  signIn(["settings.company"]);
  renderApp(<CompanySection />);
  await form("Sign-in");
  expect(screen.queryByText("Danger zone")).toBeNull();
  expect(server.sent("GET /api/settings/single-sign-on")).toHaveLength(0);
});

/** Refuses saves over an older version than the other member's. */
function changedByAnother(change: Partial<typeof company>) {
  const theirs = { ...company, ...change, version: 5 };
  let isKnown = false;
  server.on("GET /api/settings/company", () => (isKnown ? theirs : company));
  server.on("PATCH /api/settings/company", ({ body, headers }) => {
    isKnown = true;
    if (headers.get("if-match") !== '"5"') return new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } });
    return { ...theirs, ...(body as object), version: 6 };
  });
}
const saved = () => server.sent("PATCH /api/settings/company").at(-1);

it("saves without asking when another member changed a different field", async () => {
  changedByAnother({ color_scheme: "teal" });
  renderApp(<CompanySection />);
  const card = await form("Company");
  await userEvent.type(card.getByLabelText(/^Company name/), " Ltd");
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(saved()?.headers.get("if-match")).toBe('"5"'));
  expect(saved()?.body).toEqual({ name: "Northwind Ltd" });
});

it("asks which version to keep when another member changed the same field", async () => {
  changedByAnother({ name: "Northwind Group" });
  renderApp(<CompanySection />);
  const card = await form("Company");
  await userEvent.type(card.getByLabelText(/^Company name/), " Ltd");
  await userEvent.click(card.getByRole("button", { name: "Save changes" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
  expect(dialog.getByText("Northwind Group")).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(saved()?.headers.get("if-match")).toBe('"5"'));
  expect(saved()?.body).toEqual({ name: "Northwind Ltd" });
});
