import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChatContact } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { fold } from "@/lib/fold";
import { contactsQuery, useOpenChat } from "../data";
import { useContactStatus } from "../status";

function ContactButton({ contact, disabled, onClick }: { contact: ChatContact; disabled: boolean; onClick: () => void }) {
  const { t } = useTranslation();
  const status = useContactStatus(contact);
  const note = useId();
  return (
    <button
      type="button"
      disabled={disabled}
      aria-describedby={status && note}
      onClick={onClick}
      className="flex w-full items-center gap-3 rounded-lg px-2 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
    >
      <Avatar name={contact.name} src={contact.avatar} size={36} status={status} />
      <span className="min-w-0">
        <span className="block truncate font-medium text-ink">{contact.name}</span>
        {contact.about && <span className="block truncate text-sm text-muted">{contact.about}</span>}
      </span>
      {status && (
        <span id={note} hidden>
          {t(`ui.status.${status}`)}
        </span>
      )}
    </button>
  );
}

/** Chooses a colleague to write to. */
export function ContactPicker({ onOpened }: { onOpened: (chatId: string) => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(contactsQuery);
  const [text, setText] = useState("");
  const open = useOpenChat();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonRows className="p-4" />;
  if (data.length === 0)
    return <EmptyState icon={Users} title={t("ui.chat.noContacts")} text={t("ui.chat.noContactsText")} className="my-auto" />;
  const found = data.filter((contact) => fold(contact.name).includes(fold(text)));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p className="px-4 pt-4 pb-2 text-muted">{t("ui.chat.chooseContact")}</p>
      <SearchField label={t("ui.chat.findContact")} value={text} onChange={setText} className="mx-4 mb-2" />
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {found.map((contact) => (
          <li key={contact.id}>
            <ContactButton
              contact={contact}
              disabled={open.isPending}
              onClick={() => open.mutate(contact.id, { onSuccess: (chat) => onOpened(chat.id) })}
            />
          </li>
        ))}
        {found.length === 0 && <li className="px-2 py-3 text-muted">{t("ui.search.none")}</li>}
      </ul>
    </div>
  );
}
