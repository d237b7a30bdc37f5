import { useQuery } from "@tanstack/react-query";
import { Building2, Mail, MapPin, Phone } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Chat, ChatContactCard } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Drawer } from "@/components/drawer";
import { DrawerHead } from "@/components/drawer-head";
import { ErrorState } from "@/components/error-state";
import { PresenceLabel } from "@/components/presence";
import { SkeletonRows } from "@/components/skeleton";
import { dialLink } from "@/lib/countries";
import { longDate } from "@/lib/format";
import { useContactStatus } from "../status";
import { contactQuery } from "./data";
import { GroupPanel } from "./group-panel";

function Card({ card }: { card: ChatContactCard }) {
  const { t } = useTranslation();
  const status = useContactStatus(card) ?? "not-visible";
  const { emails, phoneNumbers, title, company, birthday, address } = card.details;
  return (
    <div className="px-5 pt-6 pb-8 sm:px-6">
      <div className="flex flex-col items-center text-center">
        <Avatar name={card.name} src={card.avatar} size={112} />
        <h3 dir="auto" className="mt-4 text-[22px] leading-7 font-title tracking-[-.02em] text-ink [overflow-wrap:anywhere]">
          {card.name}
        </h3>
        {title && (
          <p dir="auto" className="mt-0.5 text-soft">
            {title}
          </p>
        )}
        <PresenceLabel status={status} className="mt-2 text-sm text-soft" />
      </div>
      {card.about && (
        <p dir="auto" className="mt-6 rounded-xl bg-sunken px-4 py-3 whitespace-pre-line text-soft [overflow-wrap:anywhere]">
          {card.about}
        </p>
      )}
      <ul className="mt-6 grid grid-cols-1 gap-4">
        {emails.map(({ email, label }) => (
          <li key={email} className="flex gap-3.5">
            <Mail aria-hidden size={18} className="mt-0.5 shrink-0 text-muted" />
            <span className="min-w-0">
              <a href={`mailto:${email}`} className="block truncate text-accent hover:underline">
                {email}
              </a>
              <span className="text-sm text-muted">{label}</span>
            </span>
          </li>
        ))}
        {phoneNumbers.map(({ phoneNumber, label }) => (
          <li key={phoneNumber} className="flex gap-3.5">
            <Phone aria-hidden size={18} className="mt-0.5 shrink-0 text-muted" />
            <span className="min-w-0">
              <a href={dialLink(phoneNumber)} className="block truncate text-accent hover:underline">
                {phoneNumber}
              </a>
              <span className="text-sm text-muted">{label}</span>
            </span>
          </li>
        ))}
        {company && (
          <li className="flex gap-3.5">
            <Building2 aria-hidden size={18} className="mt-0.5 shrink-0 text-muted" />
            <span dir="auto">{company}</span>
          </li>
        )}
        {address && (
          <li className="flex gap-3.5">
            <MapPin aria-hidden size={18} className="mt-0.5 shrink-0 text-muted" />
            <span dir="auto">{address}</span>
          </li>
        )}
      </ul>
      {birthday && <p className="mt-6 text-sm text-muted">{t("ui.chat.birthday", { date: longDate(birthday) })}</p>}
    </div>
  );
}

function Contact({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(contactQuery(id));
  if (data) return <Card card={data} />;
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows className="p-6" />;
}

export interface ConversationInfoProps {
  chat: Chat;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  /** Called after the member has left the group. */
  onLeft?: (() => void) | undefined;
}

/** The participants: a colleague's card, or a group and its members. */
export function ConversationInfo({ chat, isOpen, onOpenChange, onLeft }: ConversationInfoProps) {
  const { t } = useTranslation();
  const label = chat.group ? t("ui.chat.showGroup") : t("ui.chat.showContact");
  const close = () => onOpenChange(false);
  return (
    <Drawer label={label} isOpen={isOpen} onOpenChange={onOpenChange}>
      <DrawerHead title={label} onClose={close} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {chat.group ? (
          <GroupPanel
            chat={chat}
            group={chat.group}
            onLeft={() => {
              close();
              onLeft?.();
            }}
          />
        ) : (
          <Contact id={chat.contactId} />
        )}
      </div>
    </Drawer>
  );
}
