import { Ban, Link, Send, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Member } from "@/api/schema";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Select } from "@/components/select";
import { toast } from "@/lib/toast";
import { useChangeMember, useInvitationLink, useMailOff, useRemoveMember, useResend } from "./data";
import { LinkDialog } from "./invitation-link";
import { useManages } from "./roles";

/** Sends an invitation again, or shows another link if no e-mail is sent. */
export function useSendAgain() {
  const { t } = useTranslation();
  const mailOff = useMailOff();
  const resend = useResend();
  const link = useInvitationLink();
  const [shown, setShown] = useState<{ email: string; link: string }>();
  const send = ({ id, email }: Member) => resend.mutate(id, { onSuccess: () => toast.success(t("ui.team.invite.resent", { email })) });
  const show = ({ id, email }: Member) => link.mutate(id, { onSuccess: (path) => setShown({ email, link: path }) });
  return {
    busy: resend.isPending || link.isPending,
    mailOff,
    icon: mailOff ? Link : Send,
    send: mailOff ? show : send,
    dialog: shown && <LinkDialog {...shown} onClose={() => setShown(undefined)} />,
  };
}

/** A colleague's role and status, for members who may change them. */
export function MemberAdministration({ member, onGone }: { member: Member; onGone: () => void }) {
  const { t } = useTranslation();
  const { grantable } = useManages();
  const change = useChangeMember();
  const remove = useRemoveMember();
  const again = useSendAgain();
  const [asking, setAsking] = useState<"suspend" | "remove" | undefined>();
  const { id, name, role, state, email } = member;
  const invited = state === "invited";
  const setState = (next: "active" | "suspended") =>
    change.mutate(
      { id, patch: { state: next } },
      { onSuccess: () => toast.success(t(next === "active" ? "ui.team.reactivated" : "ui.team.suspendedDone", { name })) },
    );
  return (
    <section className="mt-7 border-t border-line pt-5">
      <h3 className="mb-4 text-sm font-semibold text-ink">{t("ui.team.administration")}</h3>
      <Select
        label={t("ui.team.role")}
        value={role}
        onChange={(next) =>
          next !== role &&
          change.mutate(
            { id, patch: { role: next } },
            { onSuccess: () => toast.success(t("ui.team.roleChanged", { name, role: t(`ui.team.roles.${next}`) })) },
          )
        }
        options={grantable.map((value) => ({ value, label: t(`ui.team.roles.${value}`) }))}
      />
      <p className="mt-1.5 text-sm text-muted">{t(`ui.team.roleHints.${role}`)}</p>
      <div className="mt-5 flex flex-wrap gap-2">
        {invited && (
          <Button icon={again.icon} busy={again.busy} onClick={() => again.send(member)}>
            {t(again.mailOff ? "ui.team.invite.getLink" : "ui.team.invite.resend")}
          </Button>
        )}
        {state === "suspended" && (
          <Button icon={Undo2} onClick={() => setState("active")}>
            {t("ui.team.reactivate")}
          </Button>
        )}
        {state === "active" && (
          <Button icon={Ban} onClick={() => setAsking("suspend")}>
            {t("ui.team.suspend")}
          </Button>
        )}
        <Button variant="danger-ghost" icon={Trash2} onClick={() => setAsking("remove")}>
          {t(invited ? "ui.team.invite.revoke" : "ui.team.remove")}
        </Button>
      </div>
      {again.dialog}
      <ConfirmDialog
        title={t("ui.team.suspendTitle", { name })}
        text={t("ui.team.suspendText")}
        confirm={t("ui.team.suspend")}
        isOpen={asking === "suspend"}
        onOpenChange={() => setAsking(undefined)}
        onConfirm={() => setState("suspended")}
      />
      <ConfirmDialog
        title={invited ? t("ui.team.invite.revokeTitle", { email }) : t("ui.team.removeTitle", { name })}
        text={invited ? t("ui.team.invite.revokeText") : t("ui.team.removeText", { name })}
        confirm={t(invited ? "ui.team.invite.revoke" : "ui.team.remove")}
        isOpen={asking === "remove"}
        onOpenChange={() => setAsking(undefined)}
        onConfirm={() =>
          remove.mutate(id, {
            onSuccess: () => {
              toast.success(invited ? t("ui.team.invite.revoked", { email }) : t("ui.team.removed", { name }));
              onGone();
            },
          })
        }
      />
    </section>
  );
}
