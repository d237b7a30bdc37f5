import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { Person } from "./person";

const server = standInServer();

it("shows the names of members and former members", async () => {
  server.on("GET /api/team", () => ({ items: [{ id: "u1", name: "Mira Okafor" }], total: 1 }));
  server.on("GET /api/team/former", () => ({ items: [{ id: "u9", name: "Ana García", leftAt: "" }] }));
  renderApp(
    <>
      <Person id="u1" />
      <Person id="u9" />
    </>,
  );
  expect(await screen.findByText("Mira Okafor")).toBeVisible();
  expect(await screen.findByText("Ana García (former member)")).toBeVisible();
});

it("does not request former members while every member is found", async () => {
  server.on("GET /api/team", () => ({ items: [{ id: "u1", name: "Mira Okafor" }], total: 1 }));
  renderApp(<Person id="u1" />);
  expect(await screen.findByText("Mira Okafor")).toBeVisible();
  expect(server.sent("GET /api/team/former")).toHaveLength(0);
});
