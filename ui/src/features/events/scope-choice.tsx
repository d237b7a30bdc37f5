import { useTranslation } from "react-i18next";
import type { EventScope } from "@/api/schema";
import { Segmented } from "@/components/segmented";

export interface ScopeChoiceProps {
  value: EventScope;
  onChange: (scope: EventScope) => void;
  className?: string;
}

/** Whether a change of a repeating event applies to one occurrence and those after it, or to all. */
export function ScopeChoice({ value, onChange, className }: ScopeChoiceProps) {
  const { t } = useTranslation();
  return (
    <Segmented
      label={t("ui.events.scope")}
      value={value}
      onChange={onChange}
      className={className}
      options={[
        { value: "following", label: t("ui.events.scopeFollowing") },
        { value: "all", label: t("ui.events.scopeAll") },
      ]}
    />
  );
}
