import { useQuery } from "@tanstack/react-query";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { NotificationPreferences } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Card } from "@/components/card";
import { ErrorState } from "@/components/error-state";
import { useLeaveGuard } from "@/components/leave-guard";
import { Segmented } from "@/components/segmented";
import { Select } from "@/components/select";
import { SkeletonRows } from "@/components/skeleton";
import { formatDate } from "@/lib/format";
import { useCompanyInfo } from "@/shell/company-info";
import { FormCard } from "../form-card";
import { useSettingsForm } from "../use-settings-form";
import { BrowserCard } from "./browser-card";
import { preferencesQuery, useSavePreferences } from "./data";
import { KindsChoice } from "./kinds-choice";

const toValues = ({ kinds, digest, digestHour }: NotificationPreferences) => ({ kinds, digest, digestHour });
const digests = ["off", "daily", "weekly"] as const;
/** Returns the full hours, formatted in the member's language. */
const hours = () =>
  Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    label: formatDate(new Date(Date.UTC(2026, 0, 1, hour)), { hour: "numeric", minute: "2-digit", timeZone: "UTC" }),
  }));

function PreferencesForm({ saved }: { saved: NotificationPreferences }) {
  const { t } = useTranslation();
  const { form, card, unsaved } = useSettingsForm({ saved, toValues, toPatch: toValues, save: useSavePreferences() });
  const { control, watch, formState } = form;
  const sendsEmail = useCompanyInfo((state) => state.signIn.sends_email);
  const guard = useLeaveGuard(unsaved);
  return (
    <FormCard title={t("ui.settings.sections.notifications")} lead={t("ui.notices.preferencesLead")} {...card}>
      {!sendsEmail && <Alert kind="warning">{t("ui.notices.mailOff")}</Alert>}
      <Controller control={control} name="kinds" render={({ field }) => <KindsChoice value={field.value} onChange={field.onChange} />} />
      <section aria-labelledby="digest" className="border-t border-line pt-5">
        <h3 id="digest" className="font-medium text-ink">
          {t("ui.notices.digest")}
        </h3>
        <p className="mb-3.5 text-sm text-muted">{t("ui.notices.digestLead")}</p>
        <div className="flex flex-wrap items-end gap-x-5 gap-y-4">
          <Controller
            control={control}
            name="digest"
            render={({ field }) => (
              <Segmented
                label={t("ui.notices.digest")}
                value={field.value}
                onChange={field.onChange}
                options={digests.map((value) => ({ value, label: t(`ui.notices.digests.${value}`) }))}
                className="mb-0.75 flex-wrap"
              />
            )}
          />
          {watch("digest") !== "off" && (
            <Controller
              control={control}
              name="digestHour"
              render={({ field }) => (
                <Select
                  label={t("ui.notices.digestHour")}
                  value={String(field.value)}
                  onChange={(value) => field.onChange(Number(value))}
                  options={hours()}
                  error={formState.errors.digestHour?.message}
                  className="w-36"
                />
              )}
            />
          )}
        </div>
      </section>
      {guard.dialog}
    </FormCard>
  );
}

/** The member's notifications: their kinds and channels, by e-mail and in this browser. */
export function NotificationsSection() {
  const { data, error, refetch } = useQuery(preferencesQuery);
  return (
    <div className="grid grid-cols-1 gap-6">
      {data ? (
        <PreferencesForm saved={data} />
      ) : (
        <Card>{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />}</Card>
      )}
      <BrowserCard />
    </div>
  );
}
