/**
 * Checks whether a link may be followed: http, https, mailto, tel, or a path of this application that begins with
 * exactly one slash. Refuses everything that a browser would read as another origin or as script.
 */
export function isSafeLink(link: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
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

/** Checks whether a link is a path within the application: it begins with one slash and stays on this origin. */
export function isInAppPath(link: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  if (!/^\/(?![/\\])/.test(link) || /[\u0000-\u001f\u007f\\]/.test(link)) return false;
  try {
    return new URL(link, location.origin).origin === location.origin;
  } catch {
    return false;
  }
}

/** Returns the path to open after sign-in: the requested one if it is within the application, else the dashboard. */
export function safeRedirect(wanted: string | null): string {
  if (!wanted || !isInAppPath(wanted)) return "/dashboard";
  return /^\/(sign-(in|out|up)|unlock-session)([/?#]|$)/.test(wanted) ? "/dashboard" : wanted;
}

/** The start of the built-in help, used if the company names no help of its own. */
export const helpHome = "/apps/help-center";
