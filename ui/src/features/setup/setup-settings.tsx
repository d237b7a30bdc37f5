import { useTranslation } from "react-i18next";
import { Card } from "@/components/card";
import { Switch } from "@/components/switch";
import { useHideSetup, useSetup } from "./data";
import { SampleDataLine } from "./sample-data-line";

/** The first steps on the member's dashboard, and the company's sample data. Empty where there is nothing to choose. */
export function SetupSettings() {
  const { t } = useTranslation();
  const { data } = useSetup();
  const hide = useHideSetup();
  if (!data) return null;
  const hasSteps = data.isNew && data.steps.some(({ done }) => !done);
  const hasSample = data.sampleData.state !== "none";
  if (!hasSteps && !hasSample) return null;
  return (
    <Card title={t("ui.setup.settings")} className="sm:!p-6">
      <div className="grid gap-5">
        {hasSteps && (
          <Switch checked={!data.hidden} onChange={(event) => hide.mutate(!event.target.checked)}>
            {t("ui.setup.show")}
          </Switch>
        )}
        {hasSample && <SampleDataLine />}
      </div>
    </Card>
  );
}
