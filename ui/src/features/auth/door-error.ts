import i18n from "i18next";

/** What the page says that was led to with `?error=`: by single sign-on, or by a session that ended. */
export function takeDoorError(): string | undefined {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams(search);
  const code = query.get("error");
  if (code === null) return undefined;
  // A reload is a new try: it should not complain of the old one.
  query.delete("error");
  history.replaceState(history.state, "", `${pathname}${query.size > 0 ? `?${query}` : ""}${hash}`);
  if (code === "locked_out") return i18n.t("ui.auth.lockedOut");
  return code === "slow_down" ? i18n.t("errors.slow_down") : i18n.t("ui.auth.signOnFailed");
}
