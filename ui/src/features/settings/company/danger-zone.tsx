import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { CompanySettings } from "@/api/schema";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { ChoiceField } from "@/components/choice-field";
import { Dialog } from "@/components/dialog";
import { useUser } from "@/features/account/data";
import { useHasPassword } from "@/features/security/data";
import { PasswordForm } from "@/features/security/password-form";
import { useMembers } from "@/features/team/data";
import { mediumDate } from "@/lib/format";
import { toast } from "@/lib/toast";
import { useCloseCompany, useHandOver } from "../data";

/** Days for which the data of a closed company is kept. */
const keptDays = 30;

function HandOver({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const me = useUser();
  const { members } = useMembers();
  const [heir, setHeir] = useState("");
  const [wrong, setWrong] = useState<string>();
  const handOver = useHandOver();
  const offered = members.filter((member) => member.state === "active" && member.id !== me.id);
  const name = offered.find(({ id }) => id === heir)?.name;
  return (
    <Dialog title={t("ui.settings.handOver")} isOpen onOpenChange={(open) => !open && onClose()}>
      <div className="grid grid-cols-1 gap-5">
        <ChoiceField
          label={t("ui.settings.heir")}
          value={heir}
          onChange={(id) => {
            setHeir(id);
            setWrong(undefined);
          }}
          error={wrong}
          options={offered.map(({ id, name, email }) => ({ value: id, label: `${name} · ${email}` }))}
        />
        <PasswordForm
          lead={name ? t("ui.settings.handOverTo", { name }) : t("ui.settings.handOverText")}
          action={t("ui.settings.handOver")}
          danger
          waits
          onCancel={onClose}
          onSend={async ({ password }) => {
            if (!heir) {
              setWrong(t("ui.settings.heirMissing"));
              return;
            }
            await handOver.mutateAsync({ memberId: heir, password });
            toast.success(t("ui.settings.handedOver", { name }));
            onClose();
          }}
        />
      </div>
    </Dialog>
  );
}

function Close({ company, onClose }: { company: CompanySettings; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const close = useCloseCompany();
  const hasPassword = useHasPassword();
  const until = mediumDate(new Date(Date.now() + keptDays * 86_400_000));
  return (
    <Dialog title={t("ui.settings.closeTitle", { name: company.name })} isOpen onOpenChange={(open) => !open && onClose()}>
      <ul className="mb-5 grid list-disc gap-1.5 pl-5 text-soft">
        <li>{t("ui.settings.closeOut")}</li>
        <li>{t("ui.settings.closeLinks")}</li>
        <li>{t("ui.settings.closeErased", { date: until })}</li>
      </ul>
      <PasswordForm
        lead={t(hasPassword ? "ui.settings.closeProve" : "ui.settings.closeProveAlone", { slug: company.slug })}
        nameLabel={t("ui.settings.slug")}
        expected={company.slug}
        action={t("ui.settings.close")}
        danger
        onCancel={onClose}
        onSend={async ({ name, password }) => {
          await close.mutateAsync({ slug: name, password });
          await navigate("/sign-out", { replace: true, state: { sure: true } });
        }}
      />
    </Dialog>
  );
}

/** Actions of the owner that are hard to undo. */
export function DangerZone({ company }: { company: CompanySettings }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"hand-over" | "close">();
  const shut = () => setOpen(undefined);
  const row = "flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line px-5 py-4 sm:px-6";
  return (
    <Card flush title={t("ui.settings.danger")} subtitle={t("ui.settings.dangerLead")} className="!border-bad/40 sm:[&>header]:px-6">
      <div className={row}>
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium text-ink">{t("ui.settings.handOver")}</p>
          <p className="text-sm text-muted">{t("ui.settings.handOverText")}</p>
        </div>
        <Button onClick={() => setOpen("hand-over")}>{t("ui.settings.handOverOpen")}</Button>
      </div>
      <div className={row}>
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium text-ink">{t("ui.settings.close")}</p>
          <p className="text-sm text-muted">{t("ui.settings.closeText", { count: keptDays })}</p>
        </div>
        <Button variant="danger" onClick={() => setOpen("close")}>
          {t("ui.settings.closeOpen")}
        </Button>
      </div>
      {open === "hand-over" && <HandOver onClose={shut} />}
      {open === "close" && <Close company={company} onClose={shut} />}
    </Card>
  );
}
