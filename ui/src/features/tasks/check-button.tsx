import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";

export interface CheckButtonProps {
  title: string;
  completed: boolean;
  disabled?: boolean;
  onToggle: () => void;
  size?: number;
}

/** A circle that shows whether a task is completed, and toggles it. */
export function CheckButton({ title, completed, disabled, onToggle, size = 22 }: CheckButtonProps) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={completed}
      aria-label={t("ui.tasks.completedNamed", { title })}
      disabled={disabled}
      onClick={onToggle}
      className="group/check fingertip relative -m-1.5 grid shrink-0 place-items-center rounded-full p-1.5 disabled:cursor-default"
    >
      <span
        className={cx(
          "grid place-items-center rounded-full border-[1.75px] transition-colors duration-150",
          completed
            ? "border-primary bg-primary text-on-primary"
            : "border-gray-400 text-transparent group-enabled/check:group-hover/check:border-primary group-enabled/check:group-hover/check:text-primary",
        )}
        style={{ width: size, height: size }}
      >
        <Check aria-hidden size={size * 0.64} className="!stroke-3" />
      </span>
    </button>
  );
}
