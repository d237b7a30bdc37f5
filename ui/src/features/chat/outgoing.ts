/** Unsent messages, each under a storage key of its own, so that two tabs do not overwrite each other. */
const prefix = (member: string) => `atrium.outgoing.${member}.`;

/** Checks whether a member has unsent messages. */
export function hasOutgoing(member: string): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(prefix(member)));
  } catch {
    return false;
  }
}

/** Returns the stored unsent messages. */
export function readOutgoing(member: string): unknown[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix(member)));
    return keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null"));
  } catch {
    return [];
  }
}

/** Stores a message until it has been sent; undefined removes it. */
export function keepOutgoing(member: string, clientId: string, message: unknown) {
  try {
    if (message === undefined) localStorage.removeItem(prefix(member) + clientId);
    else localStorage.setItem(prefix(member) + clientId, JSON.stringify(message));
  } catch {
    // Without storage it waits as long as the page is open.
  }
}
