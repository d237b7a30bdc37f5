import { useQuery } from "@tanstack/react-query";
import { MessagesSquare } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMatch, useNavigate, useSearchParams } from "react-router";
import { Dialog } from "@/components/dialog";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { cx } from "@/lib/cx";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { readSearchParams, recordId } from "@/lib/search-params";
import { useTitle } from "@/shell/use-title";
import { Conversation } from "../conversation/conversation";
import { conversationQuery } from "../conversation/data";
import { chatsQuery } from "../data";
import { ContactPicker } from "../people/contact-picker";
import { ChatList } from "./chat-list";
import { useFill } from "./use-fill";

const GroupDialog = lazyOnIdle(() => import("../people/group-dialog"));

/** The conversation of the address, whether or not the list has it yet. */
function OpenConversation({ id, onBack }: { id: string; onBack: () => void }) {
  const { t } = useTranslation();
  const { data: chats } = useQuery(chatsQuery);
  const known = chats?.find((one) => one.id === id);
  const [wasKnown, setKnown] = useState(false);
  if (known && !wasKnown) setKnown(true);
  const { data, error, refetch } = useQuery({ ...conversationQuery(id), enabled: chats !== undefined && !wasKnown });
  const [search, setSearch] = useSearchParams();
  const chat = known ?? data?.chat;
  useTitle(chat?.contact.name ?? "");
  if (!known && wasKnown) return <EmptyState icon={MessagesSquare} title={t("ui.chat.gone")} className="m-auto" />;
  if (!chat) {
    return error ? <ErrorState error={error} onRetry={() => void refetch()} className="m-auto" /> : <SkeletonRows className="flex-1 p-6" />;
  }
  return (
    <Conversation
      chat={chat}
      target={readSearchParams(search, { message: recordId }).message}
      onTarget={() => {
        if (!search.has("message")) return;
        search.delete("message");
        setSearch(search, { replace: true });
      }}
      onBack={onBack}
    />
  );
}

/** The chat page: the list of conversations at the left, one of them at the right. */
export function ChatPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const id = useMatch("/chat/:id")?.params.id;
  const frame = useRef<HTMLDivElement>(null);
  const height = useFill(frame);
  const [making, setMaking] = useState<"chat" | "group">();
  useTitle(t("ui.chat.title"));
  const open = (chatId: string) => {
    setMaking(undefined);
    void navigate(`/chat/${chatId}`);
  };
  return (
    <div className="mx-auto w-full min-w-0 max-w-[1500px] sm:px-6 sm:py-5">
      <div
        ref={frame}
        style={{ height }}
        className="flex min-h-100 overflow-hidden bg-surface max-sm:border-b sm:rounded-2xl sm:border sm:shadow-card border-line"
      >
        <ChatList
          current={id}
          onNew={() => setMaking("chat")}
          onNewGroup={() => setMaking("group")}
          className={cx("w-full lg:w-90 lg:shrink-0 lg:border-r lg:border-line", id && "max-lg:hidden")}
        />
        <section aria-label={t("ui.chat.conversation")} className={cx("flex min-w-0 flex-1 flex-col", !id && "max-lg:hidden")}>
          {id ? (
            <OpenConversation key={id} id={id} onBack={() => void navigate("/chat")} />
          ) : (
            <EmptyState icon={MessagesSquare} title={t("ui.chat.select")} text={t("ui.chat.selectText")} className="m-auto" />
          )}
        </section>
      </div>
      {making === "chat" && (
        <Dialog title={t("ui.chat.new")} isOpen onOpenChange={() => setMaking(undefined)} className="sm:!h-[min(36rem,80dvh)]">
          <div className="-mx-5 -mt-3 flex h-full flex-col">
            <ContactPicker onOpened={open} />
          </div>
        </Dialog>
      )}
      <Suspense>{making === "group" && <GroupDialog onOpened={open} onClose={() => setMaking(undefined)} />}</Suspense>
    </div>
  );
}
