import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { RadioCards } from "@/components/radio-cards";
import { useChangeImport } from "./data";
import { kindOf } from "./kinds";
import { Step } from "./step";

const choices = ["skip", "update", "add"] as const;

/** What happens with rows whose record exists. */
export function DuplicatesChoice({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const change = useChangeImport(plan.id);
  return (
    <Step
      number={3}
      title={t("ui.imports.steps.duplicates")}
      subtitle={t(`ui.imports.recognized.${kindOf(plan).name}`)}
      className="px-5 pb-5"
    >
      <RadioCards
        label={t("ui.imports.steps.duplicates")}
        hideLabel
        value={plan.duplicates}
        onChange={(duplicates) => change.mutate({ duplicates })}
        options={choices.map((choice) => ({
          value: choice,
          label: t(`ui.imports.duplicates.${choice}`),
          text: t(`ui.imports.duplicates.${choice}Text`),
        }))}
      />
      {change.error && (
        <Alert kind="error" className="mt-4">
          {errorText(change.error)}
        </Alert>
      )}
    </Step>
  );
}
