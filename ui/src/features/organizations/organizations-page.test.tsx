import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { Organization } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { NewOrganizationDrawer } from "./organization-drawer";
import { OrganizationsPage } from "./organizations-page";

const server = standInServer();
const make = (id: string, name: string): Organization => ({
  id,
  name,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  tags: ["supplier"],
  emails: [{ email: "info@acme.example", label: "Work" }],
  phoneNumbers: [{ country: "GB", phoneNumber: "020 7946 0018", label: "" }],
  address: "1 High Street\nLeeds",
  fields: {},
});

beforeEach(() => {
  const permissions = ["customers.read", "organizations.read", "organizations.write"];
  accept({ ...signedIn(), user: { ...mira, permissions } });
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/organizations", () => ({ items: [make("o1", "Acme Ltd"), make("o2", "Beta")], total: 2 }));
});

test("lists organizations beside the people, with the address of each", async () => {
  renderApp(<OrganizationsPage />, { path: "/customers/organizations?filter=tags:is:supplier" });
  const [first] = await screen.findAllByRole("link", { name: "Acme Ltd" });
  expect(first).toHaveAttribute("href", "/customers/organizations/o1?filter=tags%3Ais%3Asupplier");
  expect(screen.getAllByText("Leeds")[0]).toBeVisible();
  expect(screen.getByRole("link", { name: "People" })).toHaveAttribute("href", "/customers");
  expect(server.sent("GET /api/organizations")[0]?.query.getAll("filter")).toEqual(["tags:is:supplier"]);
});

test("a new organization has what was typed, and the one who adds it as owner", async () => {
  server.on("POST /api/organizations", () => new Answer(201, make("o3", "Gamma")));
  server.on("GET /api/fields", () => ({ items: [] }));
  renderApp(
    <Routes>
      <Route path="/customers/organizations/new" element={<NewOrganizationDrawer />} />
      <Route path="*" element={null} />
    </Routes>,
    { path: "/customers/organizations/new" },
  );
  await userEvent.type(await screen.findByLabelText(/^Name/), "Gamma");
  await userEvent.type(screen.getByLabelText("Website"), "gamma.example");
  await userEvent.type(screen.getByLabelText("Email address 1"), "info@gamma.example");
  await userEvent.click(screen.getByRole("button", { name: "Add organization" }));
  await waitFor(() => expect(server.sent("POST /api/organizations")).toHaveLength(1));
  expect(server.sent("POST /api/organizations")[0]?.body).toMatchObject({
    name: "Gamma",
    website: "gamma.example",
    emails: [{ email: "info@gamma.example", label: "" }],
    phoneNumbers: [],
    ownerId: mira.id,
  });
});
