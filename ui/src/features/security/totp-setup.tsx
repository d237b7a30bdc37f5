import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import type { TotpEnrolment as Setup } from "@/api/schema";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/text-field";
import { totpDigits } from "@/features/auth/rules";
import { toast } from "@/lib/toast";
import { useFieldForm } from "@/lib/use-field-form";
import { useBeginTotp, useConfirmTotp, useHasPassword } from "./data";
import { inGroups } from "./groups";
import { PasswordForm } from "./password-form";
import { RecoveryCodes } from "./recovery-codes";
import { useCopy } from "./use-copy";

const isCode = (text: string) => text.length === totpDigits && /^\d+$/.test(text);

function QrCode({ qr, label }: { qr: Setup["qr"]; label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${qr.size} ${qr.size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48 shrink-0 rounded-control border border-line bg-white sm:mx-0"
    >
      <path d={qr.path} fill="#000" />
    </svg>
  );
}

function Scan({ setup, onCodes }: { setup: Setup; onCodes: (codes: string[]) => void }) {
  const { t } = useTranslation();
  const confirm = useConfirmTotp();
  const [copied, copy] = useCopy();
  const { register, handleSubmit, setError, formState } = useFieldForm({ defaultValues: { code: "" } });
  const submit = handleSubmit(async ({ code }) => {
    try {
      onCodes((await confirm.mutateAsync(code.replaceAll(/\s/g, ""))).recoveryCodes);
    } catch (error) {
      const wrong = error instanceof ApiError && error.code === "invalid_code";
      setError("code", { type: "server", message: wrong ? t("ui.security.wrongCode") : errorText(error) }, { shouldFocus: true });
    }
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid grid-cols-1 gap-5">
      <div className="flex flex-col gap-5 sm:flex-row">
        <QrCode qr={setup.qr} label={t("ui.security.qr")} />
        <div className="min-w-0 flex-1">
          <p className="text-soft">{t("ui.security.scan")}</p>
          <p className="mt-3 text-sm text-muted">{t("ui.security.byHand")}</p>
          <p className="mt-1 font-mono text-sm leading-6 text-ink [overflow-wrap:anywhere]">{inGroups(setup.secret)}</p>
          <Button size="sm" icon={copied ? Check : Copy} className="mt-2" onClick={() => copy(setup.secret)}>
            {t(copied ? "ui.security.copied" : "ui.security.copySecret")}
          </Button>
        </div>
      </div>
      <TextField
        label={t("ui.security.confirmCode")}
        hint={t("ui.security.confirmCodeHint")}
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={9}
        error={formState.errors.code?.message}
        className="[&_input]:font-mono [&_input]:!text-lg [&_input]:tracking-[.2em]"
        {...register("code", { validate: (value) => isCode(value.replaceAll(/\s/g, "")) || t("ui.security.codeDigits") })}
      />
      <Button type="submit" variant="primary" busy={confirm.isPending} className="justify-self-end">
        {t("ui.security.turnOn")}
      </Button>
    </form>
  );
}

/** Three steps: the password, the QR code with a code to prove it, and the recovery codes. */
export function TotpSetup({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const begin = useBeginTotp();
  const hasPassword = useHasPassword();
  const [setup, setSetup] = useState<Setup>();
  const [codes, setCodes] = useState<string[]>();
  const done = () => {
    toast.success(t("ui.security.turnedOn"));
    onClose();
  };
  const step = codes ? 3 : setup ? 2 : 1;
  return (
    <Dialog title={t("ui.security.setUpTitle")} isOpen onOpenChange={onClose} once={codes !== undefined}>
      <p className="mb-4 text-sm font-medium text-accent">{t("ui.security.step", { step, of: 3 })}</p>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={done} />
      ) : setup ? (
        <Scan setup={setup} onCodes={setCodes} />
      ) : (
        <PasswordForm
          lead={t(hasPassword ? "ui.security.setUpText" : "ui.security.setUpTextAlone")}
          action={t("ui.security.next")}
          onCancel={onClose}
          onSend={async ({ password }) => setSetup(await begin.mutateAsync(password))}
        />
      )}
    </Dialog>
  );
}
