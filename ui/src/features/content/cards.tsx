import { useTranslation } from "react-i18next";
import type { RecordReference } from "@/api/schema";
import { SafeLink } from "@/components/safe-link";
import { cx } from "@/lib/cx";
import { recordKinds } from "@/records/kinds";

function Card({ reference, onFollow }: { reference: RecordReference; onFollow?: (() => void) | undefined }) {
  const { t } = useTranslation();
  const { kind, card, text } = reference;
  const { icon: Icon } = recordKinds[kind];
  const frame = "flex min-h-13 w-full items-center gap-2.5 rounded-xl border border-line px-3 py-2 text-left";
  if (!card) {
    return (
      <div className={cx(frame, "border-dashed text-muted")}>
        <Icon aria-hidden size={18} className="shrink-0" />
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate line-through">
            {text.replace(/^#/, "")}
          </span>
          <span className="block truncate text-sm">{t("ui.chat.referenceGone")}</span>
        </span>
      </div>
    );
  }
  return (
    <SafeLink
      link={card.link}
      useRouter
      onClick={onFollow ?? (() => undefined)}
      className={cx(frame, "bg-surface text-body shadow-card hover:bg-hover")}
    >
      <span className="grid size-8 shrink-0 place-items-center rounded-lg bg-tint text-on-tint">
        <Icon aria-hidden size={18} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="sr-only">{t(`ui.records.kinds.${kind}`)} </span>
        <span dir="auto" className={cx("block truncate font-medium text-ink", card.done && "text-muted line-through")}>
          {card.title}
        </span>
        <span dir="auto" className="block truncate text-sm text-muted">
          {card.done ? t("ui.search.completed") : (card.subtitle ?? t(`ui.records.kinds.${kind}`))}
        </span>
      </span>
    </SafeLink>
  );
}

/** The records that a message refers to, as far as the reader may see them; every card has the same size. */
export function Cards({ references, onFollow }: { references: RecordReference[]; onFollow?: (() => void) | undefined }) {
  if (references.length === 0) return null;
  return (
    <div className="mt-1.5 grid w-64 max-w-full grid-cols-1 gap-1.5">
      {references.map((reference) => (
        <Card key={`${reference.kind} ${reference.recordId}`} reference={reference} onFollow={onFollow} />
      ))}
    </div>
  );
}
