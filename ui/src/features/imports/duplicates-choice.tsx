import { useId } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { useChangeImport } from "./data";
import { kindOf } from "./kinds";
import { Step } from "./step";

const choices = ["skip", "update", "add"] as const;

/** What happens with rows whose record exists. */
export function DuplicatesChoice({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const id = useId();
  const change = useChangeImport(plan.id);
  return (
    <Step
      number={3}
      title={t("ui.imports.steps.duplicates")}
      subtitle={t(`ui.imports.recognized.${kindOf(plan).name}`)}
      className="px-5 pb-5"
    >
      <fieldset className="grid grid-cols-1 gap-2.5">
        <legend className="sr-only">{t("ui.imports.steps.duplicates")}</legend>
        {choices.map((choice) => (
          <label
            key={choice}
            className="flex gap-3 rounded-control border border-line px-3.5 py-3 hover:bg-hover has-checked:border-primary has-checked:bg-tint-soft has-focus-visible:outline-2 has-focus-visible:outline-primary"
          >
            <input
              type="radio"
              name={id}
              className="mt-0.75 size-4 shrink-0"
              aria-describedby={`${id}-${choice}`}
              aria-label={t(`ui.imports.duplicates.${choice}`)}
              checked={plan.duplicates === choice}
              onChange={() => change.mutate({ duplicates: choice })}
            />
            <span className="min-w-0">
              <span className="block font-medium text-ink">{t(`ui.imports.duplicates.${choice}`)}</span>
              <span id={`${id}-${choice}`} className="block text-sm text-muted">
                {t(`ui.imports.duplicates.${choice}Text`)}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      {change.error && (
        <Alert kind="error" className="mt-4">
          {errorText(change.error)}
        </Alert>
      )}
    </Step>
  );
}
