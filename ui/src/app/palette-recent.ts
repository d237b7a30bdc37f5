const maxRecent = 12;
const key = (member: string) => `atrium.commands.${member}`;

/** Returns the commands that a member used recently in this browser, latest first. */
export function recentCommands(member: string): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key(member)) ?? "[]");
    return Array.isArray(list) ? list.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function rememberCommand(member: string, id: string) {
  const list = [id, ...recentCommands(member).filter((other) => other !== id)].slice(0, maxRecent);
  try {
    localStorage.setItem(key(member), JSON.stringify(list));
  } catch {
    // Without storage nothing is remembered; the commands still work.
  }
}
