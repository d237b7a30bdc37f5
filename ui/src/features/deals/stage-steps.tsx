import { useTranslation } from "react-i18next";
import type { Pipeline } from "@/api/schema";
import { cx } from "@/lib/cx";

export interface StageStepsProps {
  stages: Pipeline["stages"];
  current: string;
  /** Whether the deal is won or lost: the stage that it was in is not marked as the present one. */
  isClosed?: boolean;
  /** Moves the deal; without it, the stages are only shown. */
  onMove?: ((id: string) => void) | undefined;
}

/** The stages of a deal in their order: one press moves it. */
export function StageSteps({ stages, current, isClosed = false, onMove }: StageStepsProps) {
  const { t } = useTranslation();
  const at = stages.findIndex(({ id }) => id === current);
  return (
    <ol aria-label={t("ui.deals.stage")} className="@container flex flex-wrap gap-1">
      {stages.map(({ id, name }, place) => {
        const isCurrent = place === at && !isClosed;
        const look = cx(
          "flex min-h-8.5 w-full items-center justify-center rounded-lg border px-2.75 text-sm font-medium pointer-coarse:min-h-11",
          isCurrent
            ? "border-transparent bg-primary text-on-primary"
            : isClosed
              ? cx("border-dashed border-line", place === at ? "bg-hover text-soft" : "text-muted")
              : place < at
                ? "border-tint-line bg-tint-soft text-on-tint"
                : "border-line bg-surface text-soft",
        );
        return (
          <li key={id} className="max-w-full min-w-0 @min-[28rem]:flex-auto" aria-current={isCurrent && !onMove ? "step" : undefined}>
            {onMove ? (
              <button
                type="button"
                title={name}
                aria-current={isCurrent ? "step" : undefined}
                // A deal that is opened again has the focus here, where a second press does nothing.
                data-refocus={isCurrent || undefined}
                onClick={() => !isCurrent && onMove(id)}
                className={cx(
                  look,
                  "transition-colors duration-150",
                  isCurrent ? "cursor-default" : place < at ? "hover:bg-tint" : "hover:bg-hover",
                )}
              >
                <span dir="auto" className="truncate">
                  {name}
                </span>
              </button>
            ) : (
              <span dir="auto" title={name} className={look}>
                <span className="truncate">{name}</span>
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
