import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useId } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { TextField } from "@/components/text-field";
import { formatNumber } from "@/lib/format";
import { useDebounced } from "@/lib/use-debounced";
import { retentionQuery } from "../data";

/** What the server accepts. */
const maxMonths = 240;

/** Milliseconds without typing before people are counted. */
const typingPauseMs = 300;

/** Returns the months that were typed; undefined for an empty field, and for text that the server would refuse. */
function readMonths(typed: string): number | undefined {
  const months = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : 0;
  return months >= 1 && months <= maxMonths ? months : undefined;
}

/** Returns whether the months are accepted, or why not. */
export const checkMonths = (t: TFunction, typed: string) =>
  !typed.trim() || readMonths(typed) !== undefined || t("ui.settings.statuses.retentionRange", { max: formatNumber(maxMonths) });

interface RetentionFieldProps {
  /** The id of the status; empty for a new one, which no one has. */
  status: string | undefined;
  name: string;
  /** What is typed. */
  months: string;
  error: string | undefined;
  input: UseFormRegisterReturn;
}

/** After how many months without contact or change the people with a status are deleted, and how many that concerns today. */
export function RetentionField({ status, name, months, error, input }: RetentionFieldProps) {
  const { t } = useTranslation();
  const fault = useId();
  const rested = useDebounced(readMonths(months), typingPauseMs);
  const { data } = useQuery({ ...retentionQuery(status ?? "", rested ?? 0), enabled: Boolean(status && rested) });
  const isCounted = data !== undefined && rested !== undefined && rested === readMonths(months);
  const text = { count: data?.people ?? 0, number: formatNumber(data?.people ?? 0) };
  return (
    <div className="flex basis-full flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted sm:ps-12">
      <span aria-hidden>{t("ui.settings.statuses.retentionBefore")}</span>
      <TextField
        label={t("ui.settings.statuses.retention", { name })}
        hideLabel
        inputMode="numeric"
        autoComplete="off"
        maxLength={3}
        placeholder={t("ui.settings.statuses.retentionNever")}
        className="w-20"
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : fault}
        {...input}
      />
      <span aria-hidden>{t("ui.settings.statuses.retentionAfter")}</span>
      <span role="status" className="text-soft">
        {isCounted && t(data.hasMore ? "ui.settings.statuses.dueMore" : "ui.settings.statuses.due", text)}
      </span>
      {error !== undefined && (
        <p id={fault} role="alert" className="basis-full text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
