import { Check, Copy, KeyRound, Link, Send } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText, fieldError } from "@/api/errors";
import type { Invitation, Invitee, Role } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { StatusPill } from "@/components/status-pill";
import { TextArea } from "@/components/text-area";
import { useCopy } from "@/features/security/use-copy";
import { isAddress } from "@/lib/addresses";
import { formatNumber } from "@/lib/format";
import { AddressField } from "./address-field";
import { useInvite, useMailOff, useMembers } from "./data";
import { absoluteLink, LinkField } from "./invitation-link";
import { RoleChoice } from "./role-choice";
import { useManages } from "./roles";

/** Maximum addresses per request. */
const maxAddresses = 50;
const tones = { invited: "ok", already_member: "off", invalid: "bad" } as const;

/** The invitations and their results; links to pass on if no e-mail is sent. */
function Results({ items }: { items: Invitation[] }) {
  const { t } = useTranslation();
  const [copied, copy] = useCopy();
  const count = items.filter(({ status }) => status === "invited").length;
  const links = items.flatMap(({ email, link }) => (link ? [{ email, link: absoluteLink(link) }] : []));
  return (
    <>
      <p role="status" className="mb-3 text-ink">
        {t("ui.team.invite.sent", { count, total: formatNumber(count) })}
      </p>
      {links.length > 0 && (
        <div className="mb-3 flex flex-wrap items-center gap-3">
          <Alert kind="warning" className="min-w-0 flex-1 basis-60">
            {t("ui.team.invite.copyLinks")}
          </Alert>
          {links.length > 1 && (
            <Button icon={copied ? Check : Copy} onClick={() => copy(links.map(({ email, link }) => `${email} ${link}`).join("\n"))}>
              {t(copied ? "ui.security.copied" : "ui.team.invite.copyAll")}
            </Button>
          )}
        </div>
      )}
      <ul className="divide-y divide-hover rounded-xl border border-line">
        {items.map(({ email, status, link }) => (
          <li key={email} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 px-3.5 py-2.5">
            <span className="min-w-0 [overflow-wrap:anywhere]">{email}</span>
            <StatusPill tone={tones[status]}>{t(`ui.team.invite.statuses.${status}`)}</StatusPill>
            {link && <LinkField email={email} link={absoluteLink(link)} />}
          </li>
        ))}
      </ul>
    </>
  );
}

export interface InviteDialogProps {
  onClose: () => void;
  /** Continues with adding a member by a first password. */
  onAdd: () => void;
}

/** Invites one or many people by e-mail. */
export function InviteDialog({ onClose, onAdd }: InviteDialogProps) {
  const { t } = useTranslation();
  const { grantable } = useManages();
  const { members } = useMembers();
  const invite = useInvite();
  const mailOff = useMailOff();
  const [people, setPeople] = useState<Invitee[]>([]);
  const [role, setRole] = useState<Role>("member");
  const [message, setMessage] = useState("");
  const [tried, setTried] = useState(false);
  const problem = (email: string) => {
    if (!isAddress(email)) return t("ui.team.invite.invalid");
    const known = members.find((member) => member.email === email);
    return known && known.state !== "invited" ? t("ui.team.invite.known") : undefined;
  };
  const addressees = people.map((one) => ({ ...one, problem: problem(one.email) }));
  const good = people.filter(({ email }) => !problem(email));
  const left = people.filter((one) => !invite.variables?.people?.includes(one));
  const wrong = () => {
    if (good.length > maxAddresses) return t("ui.team.invite.tooMany", { max: formatNumber(maxAddresses) });
    if (tried && good.length === 0) return t("ui.team.invite.none");
    return fieldError(invite.error, "emails") ?? fieldError(invite.error, "people");
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (good.length === 0 || good.length > maxAddresses) {
      event.currentTarget.querySelector("input")?.focus();
      return;
    }
    invite.mutate({ people: good, role, ...(!mailOff && message.trim() && { message: message.trim() }) });
  };
  const again = () => {
    invite.reset();
    setPeople(left.filter(({ email }) => !isAddress(email)));
    setTried(false);
  };
  const placed = invite.error instanceof ApiError && ["emails", "people", "message"].some((field) => fieldError(invite.error, field));
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
            <Button variant="primary" icon={mailOff ? Link : Send} type="submit" form="invite-people" busy={invite.isPending}>
              {mailOff
                ? t("ui.team.invite.create", { count: Math.max(good.length, 1), total: formatNumber(Math.max(good.length, 1)) })
                : good.length > 1
                  ? t("ui.team.invite.sendMany", { count: good.length, total: formatNumber(good.length) })
                  : t("ui.team.invite.send")}
            </Button>
          </>
        )
      }
    >
      {invite.data ? (
        // Addresses that were not sent are kept.
        <Results
          items={[
            ...invite.data,
            ...left.map(({ email }) => ({ email, status: isAddress(email) ? ("already_member" as const) : ("invalid" as const) })),
          ]}
        />
      ) : (
        <form id="invite-people" noValidate autoComplete="off" onSubmit={submit} className="grid grid-cols-1 gap-5">
          {invite.error && !placed && <Alert kind="error">{errorText(invite.error)}</Alert>}
          {mailOff && <Alert kind="warning">{t("ui.team.invite.mailOff")}</Alert>}
          <AddressField
            label={t("ui.team.invite.addresses")}
            hint={t("ui.team.invite.hint")}
            error={wrong()}
            value={addressees}
            onChange={(next) => {
              setPeople(next);
              if (invite.error) invite.reset();
            }}
          />
          <RoleChoice value={role} onChange={setRole} roles={grantable.toReversed()} />
          {!mailOff && (
            <TextArea
              label={t("ui.team.invite.message")}
              hint={t("ui.team.invite.messageHint")}
              rows={3}
              maxLength={1000}
              value={message}
              onChange={(event) => setMessage(event.target.value)}
              error={fieldError(invite.error, "message")}
            />
          )}
          <Button variant="ghost" size="sm" icon={KeyRound} onClick={onAdd} className="-ml-2.75 justify-self-start">
            {t("ui.team.invite.byPassword")}
          </Button>
        </form>
      )}
    </Dialog>
  );
}
