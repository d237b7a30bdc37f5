import { CheckCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { Tooltip } from "@/components/tooltip";
import { formatNumber } from "@/lib/format";
import { useNames, usePeople } from "./chat-context";

/** Maximum number of avatars. */
const maxAvatars = 5;

/** The members who have read up to this message. */
export function ReadMarks({ readers, isGroup }: { readers: string[]; isGroup: boolean }) {
  const { t } = useTranslation();
  const person = usePeople();
  const names = useNames();
  if (!isGroup) {
    return (
      <span className="mx-1 inline-flex items-center gap-0.75 text-2xs text-muted">
        <CheckCheck aria-hidden size={13} className="text-accent" />
        {t("ui.chat.read")}
      </span>
    );
  }
  const text = t("ui.chat.readBy", { names: names(readers) });
  return (
    <Tooltip text={text}>
      <span className="mx-1 inline-flex items-center self-end">
        <span className="sr-only">{text}</span>
        {readers.slice(0, maxAvatars).map((id) => (
          <Avatar
            key={id}
            name={person(id).name}
            src={person(id).avatar}
            size={16}
            className="-ml-1 rounded-full ring-2 ring-surface first:ml-0"
          />
        ))}
        {readers.length > maxAvatars && (
          <span aria-hidden className="ml-1 text-2xs text-muted">
            {formatNumber(readers.length - maxAvatars, { signDisplay: "always" })}
          </span>
        )}
      </span>
    </Tooltip>
  );
}
