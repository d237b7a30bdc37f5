import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type DragEvent, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { sendFrame } from "@/api/live";
import type { Chat, ChatMessage } from "@/api/schema";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { useMay, useUser } from "@/features/account/data";
import { Composer } from "@/features/content/composer";
import { changed, type Draft, revisionOf, useDraft, useRevision } from "@/features/content/draft";
import { FileViewer } from "@/features/content/file-viewer";
import { useUploads } from "@/features/content/use-uploads";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { toast } from "@/lib/toast";
import { ConversationInfo } from "../people/conversation-info";
import { ChatContext, partners } from "./chat-context";
import { ConversationHead } from "./conversation-head";
import { conversationQuery, markRead, useMessageCalls, useMessageWindow } from "./data";
import { MessageLog } from "./message-log";
import { type MessageActions, mayChange } from "./message-tools";
import { useOutbox } from "./outbox";
import { SearchHere } from "./search-here";
import { firstNew, readersOf } from "./unread";
import { useJump } from "./use-jump";
import { useScroll } from "./use-scroll";

const TaskDialog = lazyOnIdle(() => import("./task-dialog"));

/** Minimum milliseconds between two typing signals. */
const typingIntervalMs = 3_000;

export interface ConversationProps {
  chat: Chat;
  /** The message that the address names. */
  target?: string | undefined;
  onTarget?: () => void;
  onBack?: (() => void) | undefined;
  onExpand?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
  /** Called after the member has left the group. */
  onLeft?: (() => void) | undefined;
  /** Called when a card or link within is followed. */
  onFollow?: (() => void) | undefined;
}

/** Whether the page is visible. */
function useInSight(): boolean {
  const [sight, setSight] = useState(document.visibilityState !== "hidden");
  useEffect(() => {
    const look = () => setSight(document.visibilityState !== "hidden");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return sight;
}

/** One conversation: the member's messages at the right, the others' at the left, the newest at the bottom. */
export function Conversation({ chat: listed, target, onTarget, onBack, onExpand, onClose, onLeft, onFollow }: ConversationProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { id: me } = useUser();
  const mayTask = useMay("tasks.write");
  const { data: conversation, error, refetch } = useQuery(conversationQuery(listed.id));
  const chat = conversation?.chat ?? listed;
  const messages = conversation?.messages;
  const { pending, send, retry, discard } = useOutbox(me, chat.id);
  const messageWindow = useMessageWindow(chat.id);
  const { edit: revise, react, remove } = useMessageCalls();
  const [draft, setDraft] = useDraft(me, `chat.${chat.id}`);
  const files = useUploads(draft.attachments.length, (one) => setDraft(({ attachments }) => ({ attachments: [...attachments, one] })));
  const [editing, setEditing] = useRevision(me, `chat.${chat.id}`);
  const [removing, setRemoving] = useState<ChatMessage>();
  const [task, setTask] = useState<ChatMessage>();
  const [searching, setSearching] = useState(false);
  const [info, setInfo] = useState(false);
  const [dropping, setDropping] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const inSight = useInSight();

  // Messages that were new on opening stay marked until the member answers.
  const mark = chat.read.find(({ memberId }) => memberId === me)?.messageId;
  const [newFrom, setNewFrom] = useState<string | null>();
  if (newFrom === undefined && conversation) setNewFrom(firstNew(conversation, { mark, unread: chat.unreadCount }) ?? null);

  const told = useRef(mark);
  const isNew = (id: string) => !told.current || id > told.current;
  const last = messages?.at(-1);
  const read = (id: string, all: boolean) => {
    told.current = id;
    void markRead(client, chat.id, me, id, all);
  };
  const waiting = pending.filter((one) => !messages?.some((message) => message.clientId === one.clientId));
  const scroll = useScroll({
    rows: `${messages?.[0]?.id} ${last?.id} ${waiting.length} ${newFrom}`,
    whole: conversation !== undefined && !conversation.newer,
    ready: conversation !== undefined && newFrom !== undefined,
    start: () => newFrom ?? undefined,
    onNearTop: () => conversation?.more && !messageWindow.older.isPending && messageWindow.older.mutate(),
    onNearBottom: () => conversation?.newer && !messageWindow.newer.isPending && messageWindow.newer.mutate(),
    onSeen: (id) => chat.unreadCount > 0 && inSight && isNew(id) && read(id, id === last?.id),
  });
  const { marked, jump } = useJump({ conversation, scroll, messageWindow, target, onTarget });

  const reads = inSight && scroll.atEnd && last !== undefined && conversation?.newer === false;
  useEffect(() => {
    if (!reads || !last) return;
    if ((chat.unreadCount > 0 && told.current !== last.id) || (!last.isMine && isNew(last.id))) read(last.id, true);
  });
  // Messages that arrive while the page is hidden are new on return.
  const unseen = useRef(last?.id);
  useEffect(() => {
    if (last && !inSight && !last.isMine && last.id !== unseen.current && !newFrom) setNewFrom(last.id);
    unseen.current = last?.id;
  }, [last, inSight, newFrom]);
  // A message that the address names is shown first.
  const led = useRef(target !== undefined);
  useEffect(() => {
    if (!led.current) input.current?.focus();
  }, []);

  const signed = useRef(0);
  const sign = () => {
    if (Date.now() - signed.current < typingIntervalMs) return;
    signed.current = Date.now();
    sendFrame({ type: "typing", data: { chatId: chat.id } });
  };
  const edit = useCallback(
    (message: ChatMessage) => {
      const { length } = message.value;
      setEditing(revisionOf(message));
      requestAnimationFrame(() => {
        input.current?.focus();
        input.current?.setSelectionRange(length, length);
      });
    },
    [setEditing],
  );
  const { mutate: reactTo } = react;
  const actions = useMemo<MessageActions>(
    () => ({
      react: (message, emoji, on) => reactTo({ message, emoji, on, me }),
      edit,
      remove: setRemoving,
      copy: ({ value }) => void navigator.clipboard?.writeText(value).then(() => toast.info(t("ui.chat.copied"))),
      ...(mayTask && { task: setTask }),
    }),
    [reactTo, edit, me, mayTask, t],
  );
  const readers = useMemo(() => readersOf(messages ?? [], chat.read, { me, isGroup: chat.kind === "group" }), [messages, chat, me]);
  const toLatest = () => {
    input.current?.focus();
    if (!conversation?.newer) return scroll.toEnd();
    messageWindow.latest.mutate(undefined, { onSuccess: () => requestAnimationFrame(scroll.toEnd) });
  };
  const deliver = (message: Draft) => {
    signed.current = 0;
    setNewFrom(null);
    send(message);
    toLatest();
  };

  const drag = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave: (event: DragEvent) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setDropping(false),
    onDrop: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setDropping(false);
      files.take([...event.dataTransfer.files]);
      input.current?.focus();
    },
  };

  return (
    <ChatContext.Provider value={chat}>
      <div {...drag} className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        <ConversationHead
          chat={chat}
          onBack={onBack}
          onExpand={onExpand}
          onClose={onClose}
          onSearch={() => setSearching(true)}
          onInfo={() => setInfo(true)}
        />
        {searching && (
          <SearchHere
            chat={chat}
            onPick={jump}
            onClose={() => {
              setSearching(false);
              input.current?.focus();
            }}
          />
        )}
        {conversation ? (
          <FileViewer>
            <MessageLog
              conversation={conversation}
              pending={waiting}
              me={me}
              scroll={scroll}
              newFrom={newFrom ?? undefined}
              marked={marked}
              readers={readers}
              unseen={chat.unreadCount}
              busy={messageWindow.older.isPending}
              actions={actions}
              onOlder={() => messageWindow.older.mutate()}
              onLatest={toLatest}
              onRetry={() => {
                // The pressed button disappears.
                input.current?.focus();
                retry();
              }}
              onDiscard={({ clientId }) => {
                input.current?.focus();
                discard(clientId);
              }}
              onFollow={onFollow}
            />
          </FileViewer>
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} className="flex-1" />
        ) : (
          <SkeletonRows className="flex-1 content-end p-4" />
        )}
        <Composer
          people={partners(chat, me)}
          labels={{ write: t("ui.chat.write"), edit: t("ui.chat.editMessage"), send: t("ui.chat.send") }}
          draft={editing?.draft ?? draft}
          onDraft={(change) => (editing ? setEditing({ ...editing, draft: changed(editing.draft, change) }) : setDraft(change))}
          files={files}
          editing={
            editing && {
              value: editing.value,
              isKept: editing.isKept,
              isPending: revise.isPending,
              error: revise.error,
              // Also after the conversation is closed, where the callbacks of this screen no longer run.
              save: (change) =>
                void revise.mutateAsync({ id: editing.id, ...change }).then(
                  () => setEditing(undefined),
                  () => undefined,
                ),
              stop: () => {
                revise.reset();
                setEditing(undefined);
              },
            }
          }
          onEditLast={() => {
            const mine = messages?.findLast(mayChange);
            if (mine) edit(mine);
            return mine !== undefined;
          }}
          onSend={deliver}
          onTyping={sign}
          input={input}
        />
        {dropping && (
          <div className="pointer-events-none absolute inset-2 z-10 grid place-items-center rounded-2xl border-2 border-dashed border-primary bg-surface/90 font-semibold text-accent">
            {t("ui.chat.dropHere")}
          </div>
        )}
      </div>
      <ConversationInfo chat={chat} isOpen={info} onOpenChange={setInfo} onLeft={onLeft ?? onBack} />
      {removing && (
        <ConfirmDialog
          title={t("ui.chat.removeTitle")}
          text={t("ui.chat.removeText")}
          confirm={t("ui.chat.removeMessage")}
          isOpen
          onOpenChange={() => setRemoving(undefined)}
          onConfirm={() => {
            remove.mutate(removing.id);
            if (editing?.id === removing.id) setEditing(undefined);
            requestAnimationFrame(() => input.current?.focus());
          }}
        />
      )}
      <Suspense>{task && <TaskDialog message={task} onClose={() => setTask(undefined)} />}</Suspense>
    </ChatContext.Provider>
  );
}
