import { useQuery } from "@tanstack/react-query";
import { Maximize2, MessagesSquare, Plus, Users, X } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { fallbackRefreshMs } from "@/api/query";
import { Button } from "@/components/button";
import { Drawer } from "@/components/drawer";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { SkeletonRows } from "@/components/skeleton";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { Conversation } from "./conversation/conversation";
import { chatsQuery } from "./data";
import { useChatPanel } from "./panel";
import { ContactPicker } from "./people/contact-picker";
import { RailButton } from "./rail-button";

const GroupDialog = lazyOnIdle(() => import("./people/group-dialog"));

/** The team's conversations in a drawer on every screen. */
export default function ChatDrawer({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: chats, error, refetch } = useQuery({ ...chatsQuery, refetchInterval: fallbackRefreshMs });
  const { chatId: selected } = useChatPanel();
  const [choosing, setChoosing] = useState(false);
  const [grouping, setGrouping] = useState(false);
  const chat = chats?.find((one) => one.id === selected);
  const close = () => onOpenChange(false);
  const select = (id: string | undefined) => {
    useChatPanel.setState({ chatId: id });
    setChoosing(false);
  };
  const expand = () => {
    close();
    void navigate(chat ? `/chat/${chat.id}` : "/chat");
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
          <Conversation key={chat.id} chat={chat} onExpand={expand} onClose={close} onFollow={close} onLeft={() => select(undefined)} />
        ) : (
          <div className="flex min-w-0 flex-1 flex-col">
            <header className="flex min-h-16 items-center gap-1 border-b border-line py-3 pr-2.5 pl-4">
              <h2 className="flex-1 text-lg font-bold tracking-[-.01em] text-ink">{t("ui.chat.title")}</h2>
              <IconButton label={t("ui.chat.openPage")} icon={Maximize2} onClick={expand} />
              <IconButton label={t("ui.action.close")} icon={X} onClick={close} />
            </header>
            {choosing ? (
              <>
                <Button icon={Users} onClick={() => setGrouping(true)} className="mx-4 mt-4">
                  {t("ui.chat.newGroup")}
                </Button>
                <ContactPicker onOpened={select} />
              </>
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
      <Suspense>{grouping && <GroupDialog onOpened={select} onClose={() => setGrouping(false)} />}</Suspense>
    </Drawer>
  );
}
