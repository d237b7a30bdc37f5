import { useQuery } from "@tanstack/react-query";
import { LockKeyhole } from "lucide-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { useLeaveGuard } from "@/components/leave-guard";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { SetupSettings } from "@/features/setup/setup-settings";
import { BrandForm } from "./company/brand-form";
import { DangerZone } from "./company/danger-zone";
import { MailCard } from "./company/mail-card";
import { PipelineCard } from "./company/pipeline-form";
import { PlaceForm } from "./company/place-form";
import { RulesForm } from "./company/rules-form";
import { SignOnForm } from "./company/sign-on-form";
import { StatusesCard } from "./company/statuses-form";
import { companyQuery } from "./data";

/** The company's settings, for its administrators. */
export function CompanySection() {
  const { t } = useTranslation();
  const may = useMay("settings.company");
  const reads = useMay("customers.read");
  const sells = useMay("deals.read");
  const owns = useMay("tenant.own");
  const [dirty, setDirty] = useState<string[]>([]);
  const onDirty = useCallback((form: string, is: boolean) => {
    setDirty((forms) => (is ? [...new Set([...forms, form])] : forms.filter((other) => other !== form)));
  }, []);
  const guard = useLeaveGuard(dirty.length > 0);
  const { data, error, refetch } = useQuery({ ...companyQuery, enabled: may });
  if (!may) {
    return (
      <Card>
        <EmptyState icon={LockKeyhole} title={t("ui.settings.noRight")} text={t("ui.settings.noRightText")} />
      </Card>
    );
  }
  if (!data) return <Card>{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />}</Card>;
  return (
    <div className="grid grid-cols-1 gap-6">
      <BrandForm company={data} onDirty={onDirty} />
      <PlaceForm company={data} onDirty={onDirty} />
      <RulesForm company={data} onDirty={onDirty} />
      {reads && <StatusesCard onDirty={onDirty} />}
      {sells && <PipelineCard onDirty={onDirty} />}
      <MailCard />
      <SetupSettings />
      {owns && <SignOnForm onDirty={onDirty} />}
      {owns && <DangerZone company={data} />}
      {guard.dialog}
    </div>
  );
}
