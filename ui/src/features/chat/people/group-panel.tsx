import { LogOut, Pencil, UserPlus, Users, X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { Chat } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { IconButton } from "@/components/icon-button";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { useContactStatus } from "../status";
import { useGroupCalls } from "./data";
import { MemberPicks } from "./member-picks";

/** Maximum characters of a group's name. */
export const maxNameLength = 100;

type Group = NonNullable<Chat["group"]>;
type GroupMember = Group["members"][number];

function MemberRow({ member, note, onRemove }: { member: GroupMember; note: string; onRemove?: (() => void) | undefined }) {
  const { t } = useTranslation();
  const status = useContactStatus(member);
  return (
    <li data-item className="flex min-h-12 items-center gap-3 py-1">
      <Avatar name={member.name} src={member.avatar} size={36} status={status} />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate font-medium text-ink">
          {member.name}
        </span>
        {note && <span className="block text-sm text-muted">{note}</span>}
      </span>
      {status && <span className="sr-only">{t(`ui.status.${status}`)}</span>}
      {onRemove && (
        <IconButton
          label={t("ui.action.removeNamed", { name: member.name })}
          icon={X}
          size="sm"
          tone="danger"
          data-part="remove"
          onClick={onRemove}
        />
      )}
    </li>
  );
}

function Rename({
  name,
  busy,
  error,
  onSave,
  onClose,
}: {
  name: string;
  busy: boolean;
  error: string | undefined;
  onSave: (name: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = text.trim();
    if (next === name) onClose();
    else if (next) onSave(next);
  };
  return (
    <form onSubmit={submit} className="mt-4 w-full text-left">
      <TextField
        label={t("ui.chat.groupName")}
        autoFocus
        maxLength={maxNameLength}
        autoComplete="off"
        value={text}
        error={error}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="mt-3 flex justify-end gap-2">
        <Button size="sm" onClick={onClose}>
          {t("ui.action.cancel")}
        </Button>
        <Button size="sm" variant="primary" type="submit" disabled={!text.trim()} busy={busy}>
          {t("ui.action.save")}
        </Button>
      </div>
    </form>
  );
}

/** A group: its name, its members, and the way to leave it. */
export function GroupPanel({ chat, group, onLeft }: { chat: Chat; group: Group; onLeft: () => void }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const { change, leave } = useGroupCalls();
  const [part, setPart] = useState<"name" | "add">();
  const [chosen, setChosen] = useState<string[]>([]);
  const [asking, setAsking] = useState<"leave" | GroupMember>();
  const panel = useRef<HTMLDivElement>(null);
  const owns = group.ownerId === me;
  const back = () => {
    setPart(undefined);
    setChosen([]);
    change.reset();
    // The focused element disappears.
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>("button")?.focus());
  };
  const apply = (patch: { name?: string; add?: string[]; remove?: string[] }) =>
    change.mutate({ id: chat.id, ...patch }, { onSuccess: back });
  const members = [...group.members].sort((a, b) => Number(b.id === me) - Number(a.id === me));
  return (
    <div ref={panel} className="px-5 pt-6 pb-8 sm:px-6">
      <div className="flex flex-col items-center text-center">
        <span aria-hidden className="grid size-24 place-items-center rounded-full bg-tint text-on-tint">
          <Users size={44} />
        </span>
        {part === "name" ? (
          <Rename
            name={group.name}
            busy={change.isPending}
            error={change.error ? (fieldError(change.error, "name") ?? errorText(change.error)) : undefined}
            onSave={(name) => apply({ name })}
            onClose={back}
          />
        ) : (
          <>
            <h3 dir="auto" className="mt-4 text-[22px] leading-7 font-title tracking-[-.02em] text-ink [overflow-wrap:anywhere]">
              {group.name}
            </h3>
            <p className="mt-0.5 text-soft">{t("ui.chat.memberCount", { count: group.members.length })}</p>
            <div className="mt-4 flex flex-wrap justify-center gap-2">
              <Button size="sm" icon={Pencil} onClick={() => setPart("name")}>
                {t("ui.chat.rename")}
              </Button>
              <Button size="sm" icon={UserPlus} onClick={() => setPart("add")}>
                {t("ui.chat.addPeople")}
              </Button>
            </div>
          </>
        )}
      </div>
      {change.error && part !== "name" && (
        <Alert kind="error" className="mt-5">
          {errorText(change.error)}
        </Alert>
      )}
      {part === "add" && (
        <div className="mt-5 rounded-xl border border-line p-3">
          <MemberPicks chosen={chosen} onChange={setChosen} without={group.members.map(({ id }) => id)} />
          <p className="mt-2 text-sm text-muted">{t("ui.chat.addHint")}</p>
          <div className="mt-3 flex justify-end gap-2">
            <Button size="sm" onClick={back}>
              {t("ui.action.cancel")}
            </Button>
            <Button
              size="sm"
              variant="primary"
              disabled={chosen.length === 0}
              busy={change.isPending}
              onClick={() => apply({ add: chosen })}
            >
              {t("ui.action.add")}
            </Button>
          </div>
        </div>
      )}
      <h4 className="mt-7 mb-1.5 text-sm font-semibold text-soft">{t("ui.chat.members")}</h4>
      <ul className="divide-y divide-hover">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            note={[member.id === me && t("ui.chat.youFirst"), member.id === group.ownerId && t("ui.chat.groupOwner")]
              .filter(Boolean)
              .join(" · ")}
            onRemove={owns && member.id !== me ? () => setAsking(member) : undefined}
          />
        ))}
      </ul>
      <Button variant="danger-ghost" icon={LogOut} onClick={() => setAsking("leave")} className="mt-5">
        {t("ui.chat.leave")}
      </Button>
      {asking && (
        <ConfirmDialog
          title={asking === "leave" ? t("ui.chat.leaveTitle", { name: group.name }) : t("ui.chat.removeMemberTitle", { name: asking.name })}
          text={asking === "leave" ? t("ui.chat.leaveText") : t("ui.chat.removeMemberText")}
          confirm={asking === "leave" ? t("ui.chat.leave") : t("ui.action.remove")}
          isOpen
          onOpenChange={() => setAsking(undefined)}
          onConfirm={() => (asking === "leave" ? leave.mutate(chat.id, { onSuccess: onLeft }) : apply({ remove: [asking.id] }))}
        />
      )}
    </div>
  );
}
