import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { NotificationPreferences } from "@/api/schema";
import { accept } from "@/api/session";
import { useBrowserNotices } from "@/features/notices/browser";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { setWidth } from "@/test/width";
import { NotificationsSection } from "./notifications-section";

const server = standInServer();
const path = "/api/common/user/notification-preferences";
const on = { app: true, mail: false };
let kept: NotificationPreferences;

beforeEach(() => {
  accept(signedIn());
  localStorage.clear();
  kept = {
    kinds: {
      task_assigned: on,
      task_due: on,
      event_invited: on,
      event_changed: on,
      event_reminder: on,
      comment: on,
      mention: on,
      chat: on,
      member_joined: on,
      retention: on,
      security: { app: true, mail: true },
    },
    digest: "off",
    digestHour: 8,
  };
  server.on(`GET ${path}`, () => kept);
  server.on(`PATCH ${path}`, ({ body }) => ({ ...kept, ...(body as object) }));
});
afterEach(() => vi.unstubAllGlobals());

const box = (name: string) => screen.findByRole("checkbox", { name });

it("sets the channels of each kind, except in-app security alerts", async () => {
  renderApp(<NotificationsSection />);
  const security = await box("Security: In the app");
  expect(security).toBeChecked();
  expect(security).toBeDisabled();
  expect(security).toHaveAccessibleDescription("Security alerts always appear in the app.");
  fireEvent.click(await box("Mention: By email"));
  fireEvent.click(await box("Chat message: In the app"));
  fireEvent.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(server.sent(`PATCH ${path}`)).toHaveLength(1));
  expect(server.sent(`PATCH ${path}`)[0]?.body).toEqual({
    kinds: { ...kept.kinds, mention: { app: true, mail: true }, chat: { app: false, mail: false } },
  });
});

it("offers the retention of personal data only to administrators", async () => {
  const { unmount } = renderApp(<NotificationsSection />);
  await box("Mention: By email");
  expect(screen.queryByRole("checkbox", { name: /^Retention/ })).toBeNull();
  unmount();
  accept({ ...signedIn(), user: { ...mira, permissions: ["bin.empty"] } });
  renderApp(<NotificationsSection />);
  expect(await box("Retention of personal data: In the app")).toBeChecked();
});

it("asks for the hour only when a summary is chosen", async () => {
  renderApp(<NotificationsSection />);
  await box("Security: In the app");
  expect(screen.queryByText("At")).toBeNull();
  fireEvent.click(screen.getByRole("radio", { name: "Every day" }));
  expect(screen.getByText("At")).toBeVisible();
  fireEvent.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(server.sent(`PATCH ${path}`)[0]?.body).toEqual({ digest: "daily" }));
});

it("shows a table on wide screens but not on phones", async () => {
  renderApp(<NotificationsSection />);
  await box("Mention: By email");
  await setWidth(1200);
  expect(await screen.findByRole("table", { name: "Notifications, by type and channel" })).toBeVisible();
  await setWidth(320);
  expect(await box("Mention: By email")).toBeVisible();
  expect(screen.queryByRole("table")).toBeNull();
});

it.each([
  ["insecure", /only show notifications from secure addresses/],
  ["unsupported", /can’t show notifications/],
  ["denied", /Select the icon to the left of the address/],
] as const)("says why the browser shows no notifications: %s", async (permission, why) => {
  vi.stubGlobal("isSecureContext", permission !== "insecure");
  vi.stubGlobal("Notification", permission === "denied" ? { permission } : undefined);
  if (permission === "unsupported") Reflect.deleteProperty(window, "Notification");
  renderApp(<NotificationsSection />);
  expect(await screen.findByText(why)).toBeVisible();
  expect(screen.queryByRole("switch")).toBeNull();
});

it("asks for the browser's permission when turned on", async () => {
  const ask = vi.fn(async () => "granted");
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Notification", { permission: "default", requestPermission: ask });
  useBrowserNotices.setState({ permission: "default", wanted: false });
  renderApp(<NotificationsSection />);
  expect(ask).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("switch"));
  expect(await screen.findByRole("button", { name: "Show a test notification" })).toBeVisible();
  expect(ask).toHaveBeenCalledOnce();
});
