import { CheckCheck, Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SentMessage } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { cx } from "@/lib/cx";
import { formatNumber, listOf } from "@/lib/format";

/** Names listed before the rest is counted. */
const maxNamed = 3;

/** Returns a function that lists a message's receivers in words. */
export function useReceivers() {
  const { t } = useTranslation();
  return ({ everyone, receivers, total }: SentMessage) => {
    if (everyone) return t("ui.messages.toAll");
    const names = receivers.slice(0, total > maxNamed + 1 ? maxNamed : maxNamed + 1).map(({ name }) => name);
    const more = total - names.length;
    const words = more > 0 ? [...names, t("ui.messages.others", { count: more, number: formatNumber(more) })] : names;
    return t("ui.messages.toWhom", { names: listOf(words) });
  };
}

/** At most two avatars; decorative, so show the names beside them. */
export function Faces({ message }: { message: SentMessage }) {
  const { everyone, receivers } = message;
  if (everyone)
    return (
      <span className="grid size-9 shrink-0 place-items-center rounded-full bg-tint text-on-tint">
        <Users aria-hidden size={18} />
      </span>
    );
  const [first, second] = receivers;
  if (!second) return <Avatar name={first?.name ?? ""} />;
  return (
    <span className="relative block size-9 shrink-0">
      <Avatar name={second.name} size={25} className="!absolute top-0 right-0" />
      <Avatar name={first?.name ?? ""} size={25} className="!absolute bottom-0 left-0 rounded-full ring-2 ring-surface" />
    </span>
  );
}

/** The number of receivers who have read it. */
export function ReadBy({ message: { read, total } }: { message: SentMessage }) {
  const { t } = useTranslation();
  const all = read >= total;
  return (
    <span className={cx("inline-flex items-center gap-1.5 text-sm whitespace-nowrap", all ? "text-ok" : "text-muted")}>
      <CheckCheck aria-hidden size={16} />
      {t(all ? (total === 1 ? "ui.messages.isRead" : "ui.messages.readByAll") : "ui.messages.readBy", {
        read: formatNumber(read),
        total: formatNumber(total),
      })}
    </span>
  );
}
