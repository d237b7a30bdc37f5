/** What was said and has not arrived yet; each message in a place of its own, so that two tabs do not undo each other. */
const prefix = (member: string) => `atrium.outgoing.${member}.`;

/** Whether something waits to be sent. */
export function hasOutgoing(member: string): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(prefix(member)));
  } catch {
    return false;
  }
}

/** What waits, as it was kept. */
export function readOutgoing(member: string): unknown[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix(member)));
    return keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null"));
  } catch {
    return [];
  }
}

/** Keeps a message until it has arrived; nothing forgets it. */
export function keepOutgoing(member: string, clientId: string, message: unknown) {
  try {
    if (message === undefined) localStorage.removeItem(prefix(member) + clientId);
    else localStorage.setItem(prefix(member) + clientId, JSON.stringify(message));
  } catch {
    // Without storage it waits as long as the page stands.
  }
}
