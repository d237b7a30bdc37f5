import { create } from "zustand";

/**
 * Browser notifications, shown outside of the window. The member's choice is stored per browser; the permission is kept
 * by the browser itself.
 */

export type Permission = NotificationPermission | "insecure" | "unsupported";

function permissionNow(): Permission {
  if (!window.isSecureContext) return "insecure";
  return "Notification" in window ? Notification.permission : "unsupported";
}

const key = (member: string) => `atrium.browser-notifications.${member}`;
function isWanted(member: string): boolean {
  try {
    return localStorage.getItem(key(member)) === "on";
  } catch {
    return false;
  }
}

export const useBrowserNotices = create<{ permission: Permission; wanted: boolean }>(() => ({
  permission: permissionNow(),
  wanted: false,
}));

function keep(member: string, wanted: boolean) {
  try {
    if (wanted) localStorage.setItem(key(member), "on");
    else localStorage.removeItem(key(member));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  useBrowserNotices.setState({ wanted });
}

/**
 * Turns them on, which asks for permission if the browser has not asked before, or off. Only after a press: browsers
 * refuse it otherwise.
 */
export async function wantBrowserNotices(member: string, wanted: boolean): Promise<void> {
  let permission = permissionNow();
  if (wanted && permission === "default") permission = await Notification.requestPermission();
  useBrowserNotices.setState({ permission });
  keep(member, wanted && permission === "granted");
}

/** Follows changes in other tabs and in the browser's settings, until the returned function is called. */
export function followChoice(member: string): () => void {
  const read = () => useBrowserNotices.setState({ permission: permissionNow(), wanted: isWanted(member) });
  const stored = (event: StorageEvent) => {
    if (event.key === key(member)) read();
  };
  let status: PermissionStatus | undefined;
  let over = false;
  read();
  addEventListener("storage", stored);
  // Older browsers cannot query this permission: it is read again when the page becomes visible.
  navigator.permissions?.query({ name: "notifications" }).then(
    (found) => {
      if (over) return;
      status = found;
      status.addEventListener("change", read);
    },
    () => undefined,
  );
  document.addEventListener("visibilitychange", read);
  return () => {
    over = true;
    removeEventListener("storage", stored);
    status?.removeEventListener("change", read);
    document.removeEventListener("visibilitychange", read);
  };
}

/** A lock that all visible tabs share: while a tab holds it, the application is visible. */
const visibleLock = "atrium.in-sight";

/** Holds that lock while this tab is visible, until the returned function is called. */
export function tellSight(): () => void {
  let leave: (() => void) | undefined;
  const onVisibilityChange = () => {
    const visible = document.visibilityState === "visible";
    if (visible && !leave) {
      const held = new Promise<void>((done) => {
        leave = done;
      });
      void navigator.locks?.request(visibleLock, { mode: "shared" }, () => held);
    } else if (!visible) {
      leave?.();
      leave = undefined;
    }
  };
  onVisibilityChange();
  document.addEventListener("visibilitychange", onVisibilityChange);
  return () => {
    document.removeEventListener("visibilitychange", onVisibilityChange);
    leave?.();
  };
}

export interface BrowserNotice {
  /** Identifies the subject: a later notification with the same tag replaces the earlier one. */
  tag: string;
  title: string;
  body?: string;
  onOpen: () => void;
}

/** Shows a notification; returns whether the browser did. */
export function showBrowserNotice({ tag, title, body, onOpen }: BrowserNotice): boolean {
  try {
    const shown = new Notification(title, { tag, ...(body && { body }), icon: "/favicon.svg" });
    shown.onclick = () => {
      shown.close();
      window.focus();
      onOpen();
    };
    return true;
  } catch {
    // Mobile browsers have the class, but a page cannot show a notification with it.
    useBrowserNotices.setState({ permission: "unsupported" });
    return false;
  }
}

/** Milliseconds for which a tab holds a notification's lock, because browsers delay hidden tabs. */
const lockMs = 10_000;

/** Whether this tab would show it, before asking the other tabs. */
export function wouldAnnounce(): boolean {
  const { permission, wanted } = useBrowserNotices.getState();
  return wanted && permission === "granted" && document.visibilityState !== "visible";
}

/** Shows a notification in one tab only, if no tab is visible; `moment` distinguishes a renewed one. */
export async function announce(notice: BrowserNotice, moment: string): Promise<void> {
  if (!wouldAnnounce()) return;
  await navigator.locks.request(`atrium.notice.${notice.tag}.${moment}`, { ifAvailable: true }, async (mine) => {
    if (!mine) return;
    const { held = [] } = await navigator.locks.query();
    if (held.some(({ name }) => name === visibleLock)) return;
    if (showBrowserNotice(notice)) await new Promise((done) => setTimeout(done, lockMs));
  });
}
