import { Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { formatNumber } from "@/lib/format";
import { useSampleData, useSetup } from "./data";
import { SampleDataButton } from "./sample-data-button";

/** Milliseconds in which the second press on the button that added sample data does not remove it. */
const secondPressMs = 1_000;

/** Whether there is sample data since a moment ago. */
function useJustAdded(state: string | undefined): boolean {
  const before = useRef(state);
  const [isFresh, setFresh] = useState(false);
  useEffect(() => {
    const wasAdded = before.current === "available" && state === "present";
    before.current = state;
    if (!wasAdded) return;
    setFresh(true);
    const timer = setTimeout(() => setFresh(false), secondPressMs);
    return () => clearTimeout(timer);
  }, [state]);
  return isFresh;
}

/** Offers sample data, or says that there is some and removes it. Empty where there is none and none can be added. */
export function SampleDataLine() {
  const { t } = useTranslation();
  const { data } = useSetup();
  const { remove } = useSampleData();
  const isFresh = useJustAdded(data?.sampleData.state);
  if (!data || data.sampleData.state === "none") return null;
  const { state, records } = data.sampleData;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <p className="min-w-0 flex-1 basis-64 text-sm text-soft">
        {state === "present" ? t("ui.setup.sample.present", { count: records, total: formatNumber(records) }) : t("ui.setup.sample.offer")}
      </p>
      {state === "present" ? (
        <Button size="sm" icon={Trash2} busy={remove.isPending || isFresh} onClick={() => remove.mutate()} data-refocus>
          {t("ui.setup.sample.remove")}
        </Button>
      ) : (
        <SampleDataButton size="sm" />
      )}
    </div>
  );
}
