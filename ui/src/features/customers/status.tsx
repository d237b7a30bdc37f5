import { useTranslation } from "react-i18next";
import type { Customer } from "@/api/schema";
import { StatusPill } from "@/components/status-pill";

export const statuses: Customer["status"][] = ["lead", "active", "inactive"];
const tones = { lead: "warn", active: "ok", inactive: "off" } as const;

export function CustomerStatus({ status }: { status: Customer["status"] }) {
  const { t } = useTranslation();
  return <StatusPill tone={tones[status]}>{t(`ui.customers.statuses.${status}`)}</StatusPill>;
}
