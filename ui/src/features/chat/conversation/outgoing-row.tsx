import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Attached } from "@/features/content/attached";
import { MessageText } from "@/features/content/message-text";
import { cx } from "@/lib/cx";
import { bubble } from "./message-row";
import type { Outgoing } from "./outbox";

export interface OutgoingRowProps {
  message: Outgoing;
  me: string;
  last: boolean;
  onRetry: (message: Outgoing) => void;
  onDiscard: (message: Outgoing) => void;
}

/** A message that is being sent or has failed. */
export const OutgoingRow = memo(function OutgoingRow({ message, me, last, onRetry, onDiscard }: OutgoingRowProps) {
  const { t } = useTranslation();
  const sending = message.state === "sending";
  return (
    <li className={cx("flex max-w-[82%] flex-col items-end self-end @min-[720px]:max-w-[68%]", last ? "mb-2" : "mb-0.5")}>
      {message.value !== "" && (
        <p dir="auto" className={cx(bubble(true, last), sending && "opacity-65")}>
          <MessageText value={message.value} mentions={message.mentions} references={message.references} me={me} isMine />
        </p>
      )}
      {message.attachments.length > 0 && (
        <div className={cx("mt-1 max-w-full", sending && "opacity-65")}>
          <Attached attachments={message.attachments} isMine />
        </div>
      )}
      {sending ? (
        <span className="mx-1 mt-0.75 text-2xs text-muted">{t("ui.chat.sending")}</span>
      ) : (
        <span role="alert" className="mt-1 flex flex-wrap items-center justify-end gap-x-2 gap-y-0.5 text-xs text-bad">
          {message.reason ?? t("ui.chat.failed")}
          {message.state === "failed" && (
            <button type="button" onClick={() => onRetry(message)} className="rounded font-semibold underline">
              {t("ui.action.retry")}
            </button>
          )}
          <button type="button" onClick={() => onDiscard(message)} className="rounded font-semibold underline">
            {t("ui.chat.discard")}
          </button>
        </span>
      )}
    </li>
  );
});
