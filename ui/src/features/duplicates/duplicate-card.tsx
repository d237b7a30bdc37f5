import type { Duplicate } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { cx } from "@/lib/cx";
import { sortedReasons, useReasonTexts } from "./reasons";

/** The content of a row: who may be the same as another record, and why. */
export function DuplicateCard({ duplicate: { card, reasons }, isLink = false }: { duplicate: Duplicate; isLink?: boolean }) {
  const { text } = useReasonTexts();
  return (
    <>
      <Avatar name={card.title} size={28} />
      <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3">
        <span className="max-w-full min-w-32 flex-1">
          <span dir="auto" className={cx("block truncate font-medium", isLink ? "text-accent" : "text-ink")}>
            {card.title}
          </span>
          {card.subtitle && (
            <span dir="auto" className="block truncate text-sm text-muted">
              {card.subtitle}
            </span>
          )}
        </span>
        <span className="text-sm text-muted">{sortedReasons(reasons).map(text).join(" · ")}</span>
      </span>
    </>
  );
}
