import { ChartColumn, Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/card";
import { IconButton } from "@/components/icon-button";
import { Figures } from "./charts/figures";

export interface ChartCardProps {
  title: string;
  subtitle?: string | undefined;
  controls?: ReactNode;
  /** The data of the chart. */
  table: { head: string[]; rows: (string | number)[][] };
  height?: number;
  className?: string;
  children: ReactNode;
}

/** A chart with a button that shows its data as a table. */
export function ChartCard({ title, subtitle, controls, table, height, className, children }: ChartCardProps) {
  const { t } = useTranslation();
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      title={title}
      {...(subtitle && { subtitle })}
      {...(className && { className })}
      actions={
        <span className="flex items-center gap-1.5">
          {controls}
          <IconButton
            label={asTable ? t("ui.dashboard.asChart") : t("ui.dashboard.asTable")}
            icon={asTable ? ChartColumn : Table2}
            size="sm"
            active={asTable}
            onClick={() => setAsTable(!asTable)}
          />
        </span>
      }
    >
      {asTable ? <Figures label={title} {...table} {...(height && { height })} /> : children}
    </Card>
  );
}
