import { Fingerprint, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Factors, Passkey } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { Dialog } from "@/components/dialog";
import { IconButton } from "@/components/icon-button";
import { deviceName } from "@/lib/device";
import { ago, mediumDate, panelTime } from "@/lib/format";
import { toast } from "@/lib/toast";
import { localName, supportsPasskeys, wasCancelled } from "@/lib/webauthn";
import { useCompanyInfo } from "@/shell/company-info";
import { useAddPasskey, useRemovePasskey } from "./data";
import { PasskeyName } from "./passkey-name";
import { PasswordForm } from "./password-form";

function Row({ passkey, onRename, onRemove }: { passkey: Passkey; onRename: () => void; onRemove: () => void }) {
  const { t } = useTranslation();
  const { name } = passkey;
  return (
    <li className="flex items-center gap-4 px-5 py-3.5 sm:px-6">
      <span className="grid size-10 shrink-0 place-items-center rounded-control bg-hover text-soft">
        <Fingerprint aria-hidden size={20} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium text-ink">{name}</p>
        <p className="text-sm text-muted">
          {passkey.lastUsedAt ? (
            <time dateTime={passkey.lastUsedAt} title={panelTime(passkey.lastUsedAt)}>
              {t("ui.security.lastUsed", { ago: ago(passkey.lastUsedAt) })}
            </time>
          ) : (
            t("ui.security.neverUsed")
          )}
          {" · "}
          {t("ui.security.addedOn", { date: mediumDate(passkey.createdAt) })}
        </p>
      </div>
      <div className="flex">
        <IconButton label={t("ui.security.renameNamed", { name })} icon={Pencil} size="sm" onClick={onRename} />
        <IconButton label={t("ui.security.removeNamed", { name })} icon={Trash2} size="sm" onClick={onRemove} />
      </div>
    </li>
  );
}

/** The member's passkeys, which replace the password at sign-in. */
export function PasskeysCard({ factors }: { factors: Factors }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"add" | { rename: Passkey } | { remove: Passkey }>();
  const add = useAddPasskey();
  const remove = useRemovePasskey();
  const close = () => setOpen(undefined);
  const here = useCompanyInfo((state) => state.signIn.passkeys);
  const can = here && supportsPasskeys();
  const named = localName(location.href);
  return (
    <Card
      flush
      title={t("ui.security.passkeys")}
      subtitle={t("ui.security.passkeysLead")}
      className="sm:[&>header]:px-6"
      actions={
        can && (
          <Button size="sm" icon={Plus} onClick={() => setOpen("add")}>
            {t("ui.security.addPasskey")}
          </Button>
        )
      }
    >
      {!can && (
        <Alert kind="basic" className="mx-5 mb-5 sm:mx-6">
          {here ? t("ui.security.passkeysUnknown") : t("ui.security.passkeysElsewhere", { host: location.hostname })}
          {!here && named && (
            <>
              {" "}
              <a href={named} className="rounded font-medium underline">
                {t("ui.security.passkeysLocal")}
              </a>
            </>
          )}
        </Alert>
      )}
      {factors.passkeys.length > 0 ? (
        <ul className="divide-y divide-hover border-t border-line">
          {factors.passkeys.map((passkey) => (
            <Row
              key={passkey.id}
              passkey={passkey}
              onRename={() => setOpen({ rename: passkey })}
              onRemove={() => setOpen({ remove: passkey })}
            />
          ))}
        </ul>
      ) : (
        can && <p className="border-t border-line px-5 py-5 text-muted sm:px-6">{t("ui.security.noPasskeys")}</p>
      )}
      {open === "add" && (
        <Dialog title={t("ui.security.addPasskey")} isOpen onOpenChange={close}>
          <PasswordForm
            lead={t("ui.security.addPasskeyText")}
            nameLabel={t("ui.security.passkeyName")}
            suggestion={deviceName(t, navigator.userAgent, "")}
            action={t("ui.security.next")}
            onCancel={close}
            onSend={async (values) => {
              try {
                await add.mutateAsync(values);
              } catch (error) {
                // Cancelling the browser's dialog is not an error.
                if (wasCancelled(error)) return;
                throw error;
              }
              toast.success(t("ui.security.passkeyAdded"));
              close();
            }}
          />
        </Dialog>
      )}
      {typeof open === "object" && "rename" in open && <PasskeyName passkey={open.rename} onClose={close} />}
      {typeof open === "object" && "remove" in open && (
        <Dialog title={t("ui.security.removePasskeyTitle", { name: open.remove.name })} isOpen onOpenChange={close}>
          <PasswordForm
            lead={t("ui.security.removePasskeyText")}
            action={t("ui.action.remove")}
            danger
            onCancel={close}
            onSend={async ({ password }) => {
              await remove.mutateAsync({ id: open.remove.id, password });
              toast.success(t("ui.security.passkeyRemoved"));
              close();
            }}
          />
        </Dialog>
      )}
    </Card>
  );
}
