import { useQuery } from "@tanstack/react-query";
import { MessagesSquare, Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Drawer } from "@/components/drawer";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { SkeletonRows } from "@/components/skeleton";
import { ContactPicker } from "./contact-picker";
import { Conversation } from "./conversation";
import { chatsQuery } from "./data";
import { useChatPanel } from "./panel";
import { RailButton } from "./rail-button";

/** The team's conversations at the edge of every screen. */
export default function ChatDrawer({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  const { data: chats, error, refetch } = useQuery({ ...chatsQuery, refetchInterval: 60_000 });
  const { chatId: selected } = useChatPanel();
  const [choosing, setChoosing] = useState(false);
  const chat = chats?.find((one) => one.id === selected);
  const close = () => onOpenChange(false);
  const select = (id: string) => {
    useChatPanel.setState({ chatId: id });
    setChoosing(false);
  };
  return (
    <Drawer label={t("ui.chat.title")} isOpen={isOpen} onOpenChange={onOpenChange} dim={false}>
      <div className="flex min-h-0 flex-1">
        <nav
          aria-label={t("ui.chat.conversations")}
          className="flex w-16 shrink-0 flex-col items-center gap-1.5 overflow-y-auto border-r border-line bg-page py-3"
        >
          <IconButton
            label={t("ui.chat.new")}
            icon={Plus}
            aria-pressed={choosing}
            active={choosing}
            onClick={() => {
              setChoosing(true);
              useChatPanel.setState({ chatId: undefined });
            }}
            className="mb-1 shrink-0 border border-line bg-surface"
          />
          {chats?.map((one) => (
            <RailButton key={one.id} chat={one} selected={one.id === selected} onSelect={() => select(one.id)} />
          ))}
        </nav>
        {chat && !choosing ? (
          <Conversation key={chat.id} chat={chat} onClose={close} />
        ) : (
          <div className="flex min-w-0 flex-1 flex-col">
            <header className="flex min-h-16 items-center gap-3 border-b border-line py-3 pr-3 pl-4">
              <h2 className="flex-1 text-lg font-bold tracking-[-.01em] text-ink">{t("ui.chat.title")}</h2>
              <IconButton label={t("ui.action.close")} icon={X} onClick={close} />
            </header>
            {choosing ? (
              <ContactPicker onOpened={select} />
            ) : error && !chats ? (
              <ErrorState error={error} onRetry={() => void refetch()} />
            ) : chats ? (
              <EmptyState icon={MessagesSquare} title={t("ui.chat.select")} text={t("ui.chat.selectText")} className="my-auto" />
            ) : (
              <SkeletonRows className="p-4" />
            )}
          </div>
        )}
      </div>
    </Drawer>
  );
}
