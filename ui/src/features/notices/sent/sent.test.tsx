import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { SentMessage } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { SentPage } from "./sent-page";

const server = standInServer();
const receivers = ["Ada", "Ben", "Carla", "Dora", "Eli"].map((name, at) => ({
  memberId: name,
  name,
  ...(at < 2 && { readAt: `2026-11-21T10:0${at}:00Z` }),
}));
const sent = (more: Partial<SentMessage>): SentMessage => ({
  id: "s1",
  createdAt: "2026-11-21T09:00:00Z",
  title: "Stocktaking",
  text: "On Friday.",
  everyone: false,
  total: 5,
  read: 2,
  receivers,
  ...more,
});

it("shows sent messages with receivers and read counts", async () => {
  server.on("GET /api/messages/sent", () => ({
    items: [
      sent({}),
      sent({ id: "s2", everyone: true, total: 24, read: 24 }),
      sent({ id: "s3", total: 1, read: 1, receivers: receivers.slice(0, 1) }),
    ],
    total: 3,
  }));
  renderApp(<SentPage />);
  const [several, all, one] = await screen.findAllByRole("listitem");
  expect(within(several as HTMLElement).getByText("To Ada, Ben, Carla, and 2 others")).toBeVisible();
  expect(within(several as HTMLElement).getAllByText("Read by 2 of 5")[0]).toBeInTheDocument();
  expect(within(all as HTMLElement).getByText("To everyone")).toBeVisible();
  expect(within(all as HTMLElement).getAllByText("Read by all 24")[0]).toBeInTheDocument();
  expect(within(one as HTMLElement).getByText("To Ada")).toBeVisible();
  expect(within(one as HTMLElement).getAllByText("Read")[0]).toBeInTheDocument();
  expect(screen.getByText("3 messages sent")).toBeVisible();
});

it("says when nothing was sent, and offers a new message", async () => {
  accept({ ...signedIn(), user: mira });
  server.on("GET /api/messages/sent", () => ({ items: [], total: 0 }));
  renderApp(<SentPage />);
  expect(await screen.findByText("Nothing sent yet")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "New message" }));
});
