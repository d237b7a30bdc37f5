import { useTranslation } from "react-i18next";
import type { EditedRecord } from "@/api/schema";
import { useUser } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { changerOf } from "@/records/editors";

/** Returns a sentence with the last author of a record, if known: a colleague, or the member in another tab. */
export function useChangerText(record: EditedRecord | undefined): string | undefined {
  const { t } = useTranslation();
  const { find } = useMembers();
  const me = useUser();
  const changer = record && changerOf(record);
  if (changer === me.id) return t("ui.versions.textOwn");
  const name = find(changer)?.name;
  return name && t("ui.versions.text", { name });
}
