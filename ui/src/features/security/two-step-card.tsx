import { ShieldCheck, ShieldOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Factors } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { Dialog } from "@/components/dialog";
import { StatusPill } from "@/components/status-pill";
import { toast } from "@/lib/toast";
import { useHasPassword, useNewRecoveryCodes, useRemoveTotp } from "./data";
import { PasswordForm } from "./password-form";
import { RecoveryCodes } from "./recovery-codes";
import { TotpSetup } from "./totp-setup";

/** The number of remaining recovery codes below which a warning is shown. */
const fewCodes = 3;

/** Two-step verification with an authenticator, and recovery codes if it is lost. */
export function TwoStepCard({ factors }: { factors: Factors }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"setup" | "remove" | "codes">();
  const [codes, setCodes] = useState<string[]>();
  const remove = useRemoveTotp();
  const renew = useNewRecoveryCodes();
  const hasPassword = useHasPassword();
  const close = () => {
    setOpen(undefined);
    setCodes(undefined);
  };
  const { totp, recoveryCodesLeft: left } = factors;
  return (
    <Card
      className="sm:px-6"
      title={
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          {t("ui.security.twoStep")}
          <StatusPill tone={totp ? "ok" : "off"}>{t(totp ? "ui.security.on" : "ui.security.off")}</StatusPill>
        </span>
      }
      subtitle={t("ui.security.twoStepLead")}
    >
      {totp ? (
        <>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-control border border-line bg-sunken px-4 py-3">
            <p className="min-w-48 flex-1 text-soft">{t("ui.security.codesLeft", { count: left })}</p>
            <Button size="sm" onClick={() => setOpen("codes")}>
              {t("ui.security.makeCodes")}
            </Button>
          </div>
          {left < fewCodes && (
            <Alert kind="warning" className="mt-3">
              {t("ui.security.fewCodes")}
            </Alert>
          )}
          <Button variant="danger-ghost" size="sm" icon={ShieldOff} className="mt-4 -ml-2.75" onClick={() => setOpen("remove")}>
            {t("ui.security.turnOff")}
          </Button>
        </>
      ) : (
        <Button variant="primary" icon={ShieldCheck} onClick={() => setOpen("setup")}>
          {t("ui.security.setUp")}
        </Button>
      )}
      {open === "setup" && <TotpSetup onClose={close} />}
      {open === "remove" && (
        <Dialog title={t("ui.security.turnOffTitle")} isOpen onOpenChange={close}>
          <PasswordForm
            lead={t(hasPassword ? "ui.security.turnOffText" : "ui.security.turnOffTextAlone")}
            action={t("ui.security.turnOff")}
            danger
            onCancel={close}
            onSend={async ({ password }) => {
              await remove.mutateAsync(password);
              toast.success(t("ui.security.turnedOff"));
              close();
            }}
          />
        </Dialog>
      )}
      {open === "codes" && (
        <Dialog title={t("ui.security.newCodes")} isOpen onOpenChange={close} once={codes !== undefined}>
          {codes ? (
            <RecoveryCodes codes={codes} onDone={close} />
          ) : (
            <PasswordForm
              lead={t("ui.security.newCodesText")}
              action={t("ui.security.makeCodes")}
              onCancel={close}
              onSend={async ({ password }) => setCodes((await renew.mutateAsync(password)).recoveryCodes)}
            />
          )}
        </Dialog>
      )}
    </Card>
  );
}
