import { KeyRound, Send } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText, fieldError } from "@/api/errors";
import type { Invitation, Role } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { StatusPill } from "@/components/status-pill";
import { TextArea } from "@/components/text-area";
import { isAddress } from "@/lib/addresses";
import { formatNumber } from "@/lib/format";
import { AddressField } from "./address-field";
import { useInvite, useMembers } from "./data";
import { RoleChoice } from "./role-choice";
import { useManages } from "./roles";

/** Addresses that the server takes at once. */
const atOnce = 50;
const tones = { invited: "ok", already_member: "off", invalid: "bad" } as const;

function Results({ items }: { items: Invitation[] }) {
  const { t } = useTranslation();
  const count = items.filter(({ status }) => status === "invited").length;
  return (
    <>
      <p role="status" className="mb-3 text-ink">
        {t("ui.team.invite.sent", { count, total: formatNumber(count) })}
      </p>
      <ul className="divide-y divide-hover rounded-xl border border-line">
        {items.map(({ email, status }) => (
          <li key={email} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-3.5 py-2.5">
            <span className="min-w-0 [overflow-wrap:anywhere]">{email}</span>
            <StatusPill tone={tones[status]}>{t(`ui.team.invite.statuses.${status}`)}</StatusPill>
          </li>
        ))}
      </ul>
    </>
  );
}

export interface InviteDialogProps {
  onClose: () => void;
  /** Goes on to adding somebody by a first password. */
  onAdd: () => void;
}

/** Invites people by mail, one or many. */
export function InviteDialog({ onClose, onAdd }: InviteDialogProps) {
  const { t } = useTranslation();
  const { grantable } = useManages();
  const { members } = useMembers();
  const invite = useInvite();
  const [emails, setEmails] = useState<string[]>([]);
  const [role, setRole] = useState<Role>("member");
  const [message, setMessage] = useState("");
  const [tried, setTried] = useState(false);
  const problem = (email: string) => {
    if (!isAddress(email)) return t("ui.team.invite.invalid");
    const known = members.find((member) => member.email === email);
    return known && known.state !== "invited" ? t("ui.team.invite.known") : undefined;
  };
  const addressees = emails.map((email) => ({ email, problem: problem(email) }));
  const good = addressees.filter((one) => !one.problem).map(({ email }) => email);
  const wrong = () => {
    if (good.length > atOnce) return t("ui.team.invite.tooMany", { max: formatNumber(atOnce) });
    if (tried && good.length === 0) return t("ui.team.invite.none");
    return fieldError(invite.error, "emails");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (good.length === 0 || good.length > atOnce) return;
    invite.mutate({ emails: good, role, ...(message.trim() && { message: message.trim() }) });
  };
  const again = () => {
    invite.reset();
    setEmails([]);
    setTried(false);
  };
  const placed = invite.error instanceof ApiError && ["emails", "message"].some((field) => fieldError(invite.error, field));
  return (
    <Dialog
      title={t(invite.data ? "ui.team.invite.doneTitle" : "ui.team.invite.title")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      className="sm:!max-w-150"
      footer={
        invite.data ? (
          <>
            <Button onClick={again}>{t("ui.team.invite.more")}</Button>
            <Button variant="primary" onClick={onClose} autoFocus>
              {t("ui.action.done")}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose} className="max-sm:hidden">
              {t("ui.action.cancel")}
            </Button>
            <Button variant="primary" icon={Send} type="submit" form="invite-people" busy={invite.isPending}>
              {good.length > 1
                ? t("ui.team.invite.sendMany", { count: good.length, total: formatNumber(good.length) })
                : t("ui.team.invite.send")}
            </Button>
          </>
        )
      }
    >
      {invite.data ? (
        <Results items={invite.data} />
      ) : (
        <form id="invite-people" noValidate autoComplete="off" onSubmit={submit} className="grid grid-cols-1 gap-5">
          {invite.error && !placed && <Alert kind="error">{errorText(invite.error)}</Alert>}
          <AddressField
            label={t("ui.team.invite.addresses")}
            hint={t("ui.team.invite.hint")}
            error={wrong()}
            value={addressees}
            onChange={(next) => {
              setEmails(next);
              if (invite.error) invite.reset();
            }}
          />
          <RoleChoice value={role} onChange={setRole} roles={grantable.toReversed()} />
          <TextArea
            label={t("ui.team.invite.message")}
            hint={t("ui.team.invite.messageHint")}
            rows={3}
            maxLength={1000}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
            error={fieldError(invite.error, "message")}
          />
          <Button variant="ghost" size="sm" icon={KeyRound} onClick={onAdd} className="-ml-2.75 justify-self-start">
            {t("ui.team.invite.byPassword")}
          </Button>
        </form>
      )}
    </Dialog>
  );
}
