import i18n from "i18next";

/** Errors with a message of their own; others get a general one. */
const messages = {
  locked_out: "ui.auth.lockedOut",
  forbidden: "ui.auth.signOnUnknown",
  link_invalid: "ui.auth.signOnLate",
  second_factor_needed: "ui.auth.signOnFactor",
  slow_down: "errors.slow_down",
  busy: "errors.busy",
} as const;

/** Returns the message for the `?error=` of the address, set by single sign-on or an ended session. */
export function takeDoorError(): string | undefined {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams(search);
  const code = query.get("error");
  if (code === null) return undefined;
  // A reload must not show the old error.
  query.delete("error");
  history.replaceState(history.state, "", `${pathname}${query.size > 0 ? `?${query}` : ""}${hash}`);
  return i18n.t(Object.hasOwn(messages, code) ? messages[code as keyof typeof messages] : "ui.auth.signOnFailed");
}
