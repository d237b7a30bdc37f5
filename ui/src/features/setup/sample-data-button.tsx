import { Shapes } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, type ButtonProps } from "@/components/button";
import { useSampleData, useSetup } from "./data";

/** Adds sample data, while the company has no records. Administrators see it on empty lists. */
export function SampleDataButton(look: Pick<ButtonProps, "variant" | "size">) {
  const { t } = useTranslation();
  const { data } = useSetup();
  const { add } = useSampleData();
  if (data?.sampleData.state !== "available") return null;
  return (
    <Button icon={Shapes} busy={add.isPending} onClick={() => add.mutate()} {...look}>
      {t("ui.setup.sample.add")}
    </Button>
  );
}
