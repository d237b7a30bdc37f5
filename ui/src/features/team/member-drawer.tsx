import { Mail, MessageCircle, Phone, SquarePen, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Member } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Drawer } from "@/components/drawer";
import { IconButton } from "@/components/icon-button";
import { useMay } from "@/features/account/data";
import { useOpenChat } from "@/features/chat/data";
import { openChat } from "@/features/chat/panel";
import { compose } from "@/features/notices/compose/store";
import { dialLink } from "@/lib/countries";
import { mediumDate } from "@/lib/format";
import { MemberAccess } from "./member-access";
import { MemberAdministration } from "./member-administration";
import { MemberState, Seen, useManages } from "./roles";

/** Opens the conversation with a colleague. */
export function useMessage() {
  const { mutateAsync } = useOpenChat();
  // The card may be closed before the response; a failure shows a toast.
  return (memberId: string) =>
    void mutateAsync(memberId).then(
      (chat) => openChat(chat.id),
      () => undefined,
    );
}

/** A colleague's card; administrators change role and status here. */
export function MemberDrawer({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useTranslation();
  const maySend = useMay("messages.send");
  const { mayChange, isSelf } = useManages();
  const message = useMessage();
  const self = isSelf(member);
  const manages = mayChange(member);
  const invited = member.state === "invited";
  return (
    <Drawer label={member.name} isOpen onOpenChange={onClose} className="sm:!w-120">
      <IconButton
        label={t("ui.action.close")}
        icon={X}
        onClick={onClose}
        className="!absolute top-3 right-3 z-1 border border-line bg-surface shadow-control"
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="h-28 bg-tint" />
        <div className="px-5 pb-8 sm:px-6">
          <Avatar name={member.name} src={member.avatar} size={96} className="-mt-12 rounded-full ring-4 ring-surface" />
          <h2 dir="auto" className="mt-3 text-[24px] leading-8 font-title tracking-[-.022em] text-ink [overflow-wrap:anywhere]">
            {member.name}
          </h2>
          {member.title && (
            <p dir="auto" className="text-soft">
              {member.title}
            </p>
          )}
          <p className="mt-2.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
            <span className="font-medium text-ink">{t(`ui.team.roles.${member.role}`)}</span>
            <MemberState state={member.state} />
            <Seen member={member} />
          </p>
          <div className="mt-5 flex flex-wrap gap-2">
            {self ? (
              <ButtonLink to="/settings/account">{t("ui.team.editProfile")}</ButtonLink>
            ) : (
              member.state === "active" && (
                <Button
                  variant="primary"
                  icon={MessageCircle}
                  onClick={() => {
                    onClose();
                    message(member.id);
                  }}
                >
                  {t("ui.team.message")}
                </Button>
              )
            )}
            {!self && maySend && member.state === "active" && (
              <Button
                icon={SquarePen}
                onClick={() => {
                  onClose();
                  compose({ to: [member.id] });
                }}
              >
                {t("ui.messages.new")}
              </Button>
            )}
          </div>
          <ul className="mt-6 grid grid-cols-1 gap-3.5">
            <li className="flex gap-3.5">
              <Mail aria-hidden size={18} className="mt-0.5 text-muted" />
              <a href={`mailto:${member.email}`} className="min-w-0 text-accent [overflow-wrap:anywhere] hover:underline">
                {member.email}
              </a>
            </li>
            {member.phone && (
              <li className="flex gap-3.5">
                <Phone aria-hidden size={18} className="mt-0.5 text-muted" />
                <a href={dialLink(member.phone)} className="text-accent hover:underline">
                  {member.phone}
                </a>
              </li>
            )}
          </ul>
          {member.about && (
            <p dir="auto" className="mt-5 whitespace-pre-line text-soft">
              {member.about}
            </p>
          )}
          {manages && !self && <MemberAdministration member={member} onGone={onClose} />}
          {manages && !self && !invited && <MemberAccess member={member} />}
          <p className="mt-7 border-t border-line pt-4 text-sm text-muted">
            {t(invited ? "ui.team.invite.since" : "ui.team.since", { date: mediumDate(member.createdAt) })}
          </p>
        </div>
      </div>
    </Drawer>
  );
}
