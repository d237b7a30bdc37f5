import i18n from "i18next";

/** What is known more closely; anything else failed. */
const words = {
  locked_out: "ui.auth.lockedOut",
  forbidden: "ui.auth.signOnUnknown",
  link_invalid: "ui.auth.signOnLate",
  second_factor_needed: "ui.auth.signOnFactor",
  slow_down: "errors.slow_down",
  busy: "errors.busy",
} as const;

/** What the page says that was led to with `?error=`: by single sign-on, or by a session that ended. */
export function takeDoorError(): string | undefined {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams(search);
  const code = query.get("error");
  if (code === null) return undefined;
  // A reload is a new try: it should not complain of the old one.
  query.delete("error");
  history.replaceState(history.state, "", `${pathname}${query.size > 0 ? `?${query}` : ""}${hash}`);
  return i18n.t(Object.hasOwn(words, code) ? words[code as keyof typeof words] : "ui.auth.signOnFailed");
}
