/**
 * Whether a link may be followed: http, https, mailto or tel, or a path of our own that begins with
 * exactly one slash. Everything a browser would read as another origin or as script is refused.
 */
export function isSafeLink(link: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (link === "" || /[\u0000-\u0020\u007f\\]/.test(link)) return false;
  if (isInAppPath(link)) return true;
  try {
    const { protocol, host } = new URL(link);
    if (protocol === "http:" || protocol === "https:") return host !== "" && /^https?:\/\//i.test(link);
    return protocol === "mailto:" || protocol === "tel:";
  } catch {
    return false;
  }
}

/** A path within the application: begins with one slash, and stays on our origin. */
export function isInAppPath(link: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (!/^\/(?![/\\])/.test(link) || /[\u0000-\u001f\u007f\\]/.test(link)) return false;
  try {
    return new URL(link, location.origin).origin === location.origin;
  } catch {
    return false;
  }
}

/** Where to go after signing in: the wanted path when it is our own, else the dashboard. */
export function safeRedirect(wanted: string | null): string {
  if (!wanted || !isInAppPath(wanted)) return "/dashboard";
  return /^\/(sign-(in|out|up)|unlock-session)([/?#]|$)/.test(wanted) ? "/dashboard" : wanted;
}

/** Where the built-in help begins: help for everybody whose company names none of its own. */
export const helpHome = "/apps/help-center";
