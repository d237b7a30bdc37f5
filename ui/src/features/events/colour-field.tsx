import { useTranslation } from "react-i18next";
import { ColourChoice } from "@/components/colour-choice";
import { type ColourName, namedColour } from "@/lib/colours";

export interface ColourFieldProps {
  value: ColourName | "";
  onChange: (value: ColourName | "") => void;
  error: string | undefined;
}

/** The colour of an event in the calendar. */
export function ColourField(props: ColourFieldProps) {
  const { t } = useTranslation();
  return (
    <ColourChoice label={t("ui.events.color")} none={{ label: t("ui.events.colors.none"), colour: namedColour(undefined) }} {...props} />
  );
}
