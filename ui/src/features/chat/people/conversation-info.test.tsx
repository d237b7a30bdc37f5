import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { accept } from "@/api/session";
import { pair } from "@/test/chat";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { ConversationInfo } from "./conversation-info";

const server = standInServer();

beforeEach(() => {
  accept(signedIn());
  server.on("GET /api/apps/chat/contacts", () => []);
});

it.each([
  ["1990-04-12", "Birthday: Thursday, April 12, 1990"],
  ["--04-12", "Birthday: April 12"],
])("shows the birthday of a contact (%s)", async (birthday, text) => {
  const details = { emails: [], phoneNumbers: [], birthday };
  server.on("GET /api/apps/chat/contact", () => ({ ...pair().contact, details, attachments: { media: [], docs: [], links: [] } }));
  renderApp(<ConversationInfo chat={pair()} isOpen onOpenChange={() => {}} />);
  expect(await screen.findByText(text)).toBeVisible();
});
