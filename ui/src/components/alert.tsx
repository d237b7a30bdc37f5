import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";

const primary = { icon: Info, ink: "--on-tint", soft: "--tint-soft", solid: "--solid" };
const error = { icon: CircleAlert, ink: "--bad", soft: "--bad-soft", solid: "--bad-solid" };
const kinds = {
  primary,
  info: primary,
  accent: { icon: Info, ink: "--accent", soft: "--tint", solid: "--accent" },
  basic: { icon: Info, ink: "--soft", soft: "--hover", solid: "--soft" },
  success: { icon: CircleCheck, ink: "--ok", soft: "--ok-soft", solid: "--ok" },
  warning: { icon: TriangleAlert, ink: "--warn", soft: "--warn-soft", solid: "--warn" },
  error,
  warn: error,
};
const looks = {
  soft: "border-transparent bg-(--alert-soft) text-(--alert-ink)",
  outline: "border-(--alert-ink) bg-surface text-(--alert-ink)",
  border: "border-line border-l-4 border-l-(--alert-ink) bg-surface text-body [&>.lucide]:text-(--alert-ink)",
  fill: "border-transparent bg-(--alert-solid) text-surface",
};

export interface AlertProps {
  kind: keyof typeof kinds;
  look?: keyof typeof looks;
  /** Called when the alert is dismissed; without it, there is no button. */
  onDismiss?: () => void;
  children: ReactNode;
  className?: string;
}

/** A message that belongs to the form or page around it. */
export function Alert({ kind, look = "soft", onDismiss, children, className }: AlertProps) {
  const { t } = useTranslation();
  const { icon: Icon, ink, soft, solid } = kinds[kind];
  const colours = { "--alert-ink": `var(${ink})`, "--alert-soft": `var(${soft})`, "--alert-solid": `var(${solid})` } as CSSProperties;
  return (
    <div
      role={kind === "error" || kind === "warn" ? "alert" : "status"}
      style={colours}
      className={cx("flex gap-2.5 rounded-control border px-3.5 py-3", looks[look], className)}
    >
      <Icon aria-hidden size={18} className="mt-px" />
      <div className="min-w-0 flex-1">{children}</div>
      {onDismiss && (
        <button
          type="button"
          aria-label={t("ui.action.dismiss")}
          onClick={onDismiss}
          className="fingertip relative -my-1 -mr-1.5 grid size-7 shrink-0 place-items-center rounded-lg hover:bg-black/5"
        >
          <X aria-hidden size={16} />
        </button>
      )}
    </div>
  );
}
