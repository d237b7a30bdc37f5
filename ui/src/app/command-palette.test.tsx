import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import i18n from "i18next";
import { beforeEach, expect, it } from "vitest";
import { setUser } from "@/api/session";
import { mira } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import es from "../../../i18n/es.json";
import { CommandPalette } from "./command-palette";
import { ShortcutsHelp } from "./shortcuts-help";

const server = standInServer();

beforeEach(async () => {
  localStorage.clear();
  setUser(mira);
  i18n.addResourceBundle("es", "translation", es);
  await i18n.changeLanguage("en");
  server.on("POST /api/common/search", () => [
    { id: "contacts", label: "Contacts", results: [{ id: "1", name: "Cora Vance", link: "/customers/1", value: "Cora Vance" }] },
  ]);
  const items = [
    {
      id: "dashboards",
      title: "navigation.dashboards.title",
      type: "aside",
      children: [{ id: "dashboards.project", title: "navigation.dashboards.project", type: "basic", link: "/dashboards/project" }],
    },
    { id: "customers", title: "navigation.customers", type: "basic", link: "/customers", icon: "contact" },
    {
      id: "work",
      title: "navigation.work.title",
      type: "group",
      children: [
        { id: "tasks", title: "navigation.tasks", type: "basic", link: "/tasks" },
        { id: "secret", title: "navigation.team", type: "basic", link: "/team/list", hidden: true },
      ],
    },
  ];
  const bar = { id: "dashboard", title: "navigation.dashboard", type: "basic", link: "/dashboards/project" };
  server.on("GET /api/global/navigation", () => ({ default: items, compact: [], futuristic: [], horizontal: [bar] }));
});

/** The test's browser does not track the focused element, so the test sends keys to the field. */
const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(screen.queryByRole("searchbox") ?? document.activeElement ?? document.body, { key, ...more });
const type = (value: string) => fireEvent.change(screen.getByRole("searchbox"), { target: { value } });
const names = () => screen.queryAllByRole("option").map((option) => option.textContent);

async function open() {
  const app = renderApp(
    <>
      <CommandPalette />
      <ShortcutsHelp />
    </>,
  );
  press("k", { ctrlKey: true });
  const dialog = await screen.findByRole("dialog", { name: /Commands|Órdenes/ });
  return { ...app, dialog };
}

it("keeps letters typed after Ctrl+K until its field appears, and runs the matching command", async () => {
  const { router } = renderApp(<CommandPalette />);
  press("k", { ctrlKey: true });
  for (const key of [..."custmrs", "Enter"]) press(key);
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("offers the screens of the navigation and only permitted commands", async () => {
  await open();
  await screen.findByRole("option", { name: "Tasks" });
  expect(screen.queryByRole("option", { name: "Team" })).toBeNull();
  expect(names()).toContain("New customer");
  expect(names()).not.toContain("New page");
  expect(names()).not.toContain("Company");
  const goTo = within(screen.getByRole("group", { name: "Go to" })).getAllByRole("option");
  expect(goTo.map((option) => option.textContent)).toEqual([
    "ProjectDashboards",
    "Customers",
    "Tasks",
    "Messages",
    "Notifications",
    "Team Chat",
    "Help",
    "What’s new",
    "SentMessages",
  ]);
});

it("offers the tabs and views of screens and all sections of the settings, those first whose name begins with the text", async () => {
  setUser({ ...mira, permissions: ["customers.read", "organizations.read", "deals.read", "deals.write", "audit.read", "fields.manage"] });
  const { router } = await open();
  await screen.findByRole("option", { name: "Tasks" });
  for (const name of ["Organizations Customers", "Deals Customers", "Forecast Deals", "Sent Messages", "Audit log", "Custom fields"]) {
    expect(screen.getByRole("option", { name })).toBeVisible();
  }
  expect(screen.queryByRole("option", { name: /^People/ })).toBeNull();
  // Recent use does not bring another command before it.
  type("new deal");
  press("Enter");
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/deals/new"));
  press("k", { ctrlKey: true });
  await screen.findByRole("dialog", { name: "Commands" });
  type("de");
  expect(names()[0]).toBe("DealsCustomers");
  type("forec");
  press("Enter");
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/deals/forecast"));
});

it("shows the server's search results and opens them", async () => {
  const { router } = await open();
  type("cora");
  fireEvent.click(await waitFor(() => screen.getByText("Cora").closest("[role=option]") as HTMLElement));
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/1"));
});

it("Enter opens a found customer rather than applying a color scheme of a similar name", async () => {
  server.on("POST /api/common/search", () => [
    { id: "contacts", label: "Contacts", results: [{ id: "2", name: "Rose Tyler", link: "/customers/2", value: "Rose Tyler" }] },
  ]);
  const { router } = await open();
  type("rose");
  // Also before the result arrives.
  press("Enter");
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/2"));
  expect(server.sent("PATCH /api/common/user")).toEqual([]);
});

it("says when nothing matches", async () => {
  server.on("POST /api/common/search", () => []);
  await open();
  type("zzqq");
  expect(await screen.findByText("No results found!")).toBeVisible();
});

it("switches the member's layout from a sublist that Escape leaves", async () => {
  server.on("POST /api/common/search", () => []);
  server.on("PATCH /api/common/user", ({ body }) => ({ ...mira, ...(body as object) }));
  await open();
  type("switch layout");
  press("Enter");
  await screen.findByRole("option", { name: "Futuristic" });
  expect(names()).toHaveLength(12);
  press("Escape");
  expect(await screen.findByRole("option", { name: "Switch layout" })).toBeVisible();
  type("futur");
  press("Enter");
  await waitFor(() => expect(server.sent("PATCH /api/common/user")[0]?.body).toEqual({ layout: "futuristic" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("finds commands in the current language, and follows a language change", async () => {
  await open();
  await screen.findByRole("option", { name: "Customers" });
  await i18n.changeLanguage("es");
  expect(await screen.findByRole("option", { name: "Clientes" })).toBeVisible();
  type("sesion");
  expect(await screen.findByRole("option", { name: "Cerrar sesión" })).toBeVisible();
});

it("lists recently used commands first", async () => {
  const first = await open();
  type("show key");
  press("Enter");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  press("Escape");
  first.unmount();
  await open();
  expect(names()[0]).toBe("Show keyboard shortcuts");
  expect(screen.getByRole("group", { name: "Recently used" })).toBeVisible();
});

it("Escape clears the text and then closes the palette, and Command+K toggles it", async () => {
  await open();
  type("tas");
  press("Escape");
  expect(screen.getByRole("searchbox")).toHaveValue("");
  press("Escape");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  press("k", { metaKey: true });
  await screen.findByRole("dialog");
  press("k", { metaKey: true });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("finds the imports by what files are called", async () => {
  const { router } = await open();
  type("excel");
  await waitFor(() => expect(names()).toContain("Import people"));
  expect(names(), "the member may not write deals").not.toContain("Import deals");
  press("Enter");
  await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe("/imports/new?kind=customers"));
});

it.each([
  ["en", "dashboard", "ProjectDashboards"],
  ["es", "panel", "ProyectoPaneles"],
  ["en", "stages", "Company"],
  ["en", "pipeline", "Company"],
  ["es", "etapas", "Empresa"],
  ["es", "fases", "Empresa"],
])("in %s, “%s” finds the screen that has it", async (language, text, name) => {
  server.on("POST /api/common/search", () => []);
  setUser({ ...mira, permissions: ["settings.company"] });
  await open();
  await i18n.changeLanguage(language);
  await screen.findByRole("option", { name: /Project|Proyecto/ });
  type(text);
  await waitFor(() => expect(names()).toContain(name));
});
