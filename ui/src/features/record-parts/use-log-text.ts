import { useTranslation } from "react-i18next";
import type { NamedContact } from "./logging";

/** Returns the text that names what is logged on a record: with a person or organization, on a deal. */
export function useLogText({ kind, name }: NamedContact): string {
  const { t } = useTranslation();
  return t(kind === "deal" ? "ui.activities.logAbout" : "ui.activities.logWith", { name });
}
