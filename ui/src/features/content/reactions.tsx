import { useTranslation } from "react-i18next";
import type { Reaction } from "@/api/schema";
import { Tooltip } from "@/components/tooltip";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { nameOf } from "./emoji";

export interface ReactionsProps {
  reactions: Reaction[];
  me: string;
  /** Returns the names of members, in words. */
  names: (ids: string[]) => string;
  onReact: (emoji: string, on: boolean) => void;
}

/** The reactions to a message; a press adds or removes the member's own. */
export function Reactions({ reactions, me, names, onReact }: ReactionsProps) {
  const { t } = useTranslation();
  if (reactions.length === 0) return null;
  return (
    <span className="mt-1 flex max-w-full flex-wrap gap-1">
      {reactions.map(({ emoji, memberIds }) => {
        const mine = memberIds.includes(me);
        const who = names(memberIds);
        const name = nameOf(emoji);
        return (
          <Tooltip key={emoji} text={who}>
            <button
              type="button"
              aria-pressed={mine}
              onClick={() => onReact(emoji, !mine)}
              className={cx(
                "inline-flex h-6.5 items-center gap-1 rounded-full border px-2 text-xs font-medium tabular-nums",
                mine ? "border-tint-line bg-tint-soft text-on-tint" : "border-line bg-surface text-soft hover:bg-hover",
              )}
            >
              <span aria-hidden className="text-sm leading-none">
                {emoji}
              </span>
              <span aria-hidden>{formatNumber(memberIds.length)}</span>
              <span className="sr-only">{t("ui.chat.reactedBy", { emoji: name ? t(`ui.chat.emoji.${name}`) : emoji, names: who })}</span>
            </button>
          </Tooltip>
        );
      })}
    </span>
  );
}
