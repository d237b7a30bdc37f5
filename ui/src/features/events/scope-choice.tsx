import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/segmented";
import type { Scope } from "./data";

export interface ScopeChoiceProps {
  value: Scope;
  onChange: (scope: Scope) => void;
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
