import { create } from "zustand";

/**
 * Notifications that the browser shows outside of its window: whether somebody wants them is kept per browser,
 * and whether it may is the browser's own to know.
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
    // Without storage it holds for as long as the page.
  }
  useBrowserNotices.setState({ wanted });
}

/** Turns them on, which asks where the browser was never asked, or off. Only after a press: browsers refuse it otherwise. */
export async function wantBrowserNotices(member: string, wanted: boolean): Promise<void> {
  let permission = permissionNow();
  if (wanted && permission === "default") permission = await Notification.requestPermission();
  useBrowserNotices.setState({ permission });
  keep(member, wanted && permission === "granted");
}

/** Follows what is chosen in other tabs and in the browser's own settings, until the answered function is called. */
export function followChoice(member: string): () => void {
  const read = () => useBrowserNotices.setState({ permission: permissionNow(), wanted: isWanted(member) });
  const stored = (event: StorageEvent) => {
    if (event.key === key(member)) read();
  };
  let status: PermissionStatus | undefined;
  let over = false;
  read();
  addEventListener("storage", stored);
  // Older browsers know no such permission: it is read again when the page is come back to.
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

/** A lock that every tab in sight shares: while one holds it, somebody is looking at the application. */
const sight = "atrium.in-sight";

/** Lets the other tabs know when this one is in sight, until the answered function is called. */
export function tellSight(): () => void {
  let leave: (() => void) | undefined;
  const look = () => {
    const visible = document.visibilityState === "visible";
    if (visible && !leave) {
      const held = new Promise<void>((done) => {
        leave = done;
      });
      void navigator.locks?.request(sight, { mode: "shared" }, () => held);
    } else if (!visible) {
      leave?.();
      leave = undefined;
    }
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    leave?.();
  };
}

export interface BrowserNotice {
  /** The same for all that tells of one thing: a later one takes the place of the one before. */
  tag: string;
  title: string;
  body?: string;
  onOpen: () => void;
}

/** Shows one; answers whether the browser did. */
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
    // Browsers of phones have the word, but show nothing from a page.
    useBrowserNotices.setState({ permission: "unsupported" });
    return false;
  }
}

/** Milliseconds for which a tab keeps a notice to itself: browsers let tabs that are out of sight run late. */
const grip = 10_000;

/** Whether this tab would, for all that it knows by itself. */
export function wouldAnnounce(): boolean {
  const { permission, wanted } = useBrowserNotices.getState();
  return wanted && permission === "granted" && document.visibilityState !== "visible";
}

/** Shows a notice when no tab is in sight, and in one tab only; `moment` tells a renewed one from what it was. */
export async function announce(notice: BrowserNotice, moment: string): Promise<void> {
  if (!wouldAnnounce()) return;
  await navigator.locks.request(`atrium.notice.${notice.tag}.${moment}`, { ifAvailable: true }, async (mine) => {
    if (!mine) return;
    const { held = [] } = await navigator.locks.query();
    if (held.some(({ name }) => name === sight)) return;
    if (showBrowserNotice(notice)) await new Promise((done) => setTimeout(done, grip));
  });
}
