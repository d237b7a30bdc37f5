import { ArrowDown, ArrowUp } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";

/** An arrow for a high or low priority. */
export function Priority({ value }: { value: Task["priority"] }) {
  const { t } = useTranslation();
  if (value === 1) return null;
  const Icon = value === 2 ? ArrowUp : ArrowDown;
  const label = t(value === 2 ? "ui.tasks.priorities.high" : "ui.tasks.priorities.low");
  return (
    <span title={label} className={value === 2 ? "text-bad" : "text-ok"}>
      <Icon aria-hidden size={16} />
      <span className="sr-only">{label}</span>
    </span>
  );
}
