import type { QueryClient } from "@tanstack/react-query";
import type { FrameHandlers, FrameType } from "@/api/frames";
import { subscribeToFrames } from "@/api/realtime/subscribe";
import type { ServerFrame } from "@/api/schema";
import { chatHandlers } from "@/features/chat/realtime";
import { noticeHandlers } from "@/features/notices/realtime";
import { noteChanger, noteRemover, setEditors } from "@/records/editors";
import { startEntries } from "@/records/outbox";
import { usePresence } from "@/shell/presence";
import { mutationGraceMs, startInvalidation } from "./cache-invalidation";

const presenceHandlers: FrameHandlers = {
  "presence.all": ({ members }) =>
    usePresence.setState({ known: true, members: Object.fromEntries(members.map(({ memberId, status }) => [memberId, status])) }),
  presence: ({ memberId, status }) => usePresence.setState(({ members }) => ({ members: { ...members, [memberId]: status } })),
};

const editorHandlers: FrameHandlers = {
  "record.editors": ({ kind, recordId, memberIds }) => setEditors({ kind, recordId }, memberIds),
  "record.changed": ({ kind, recordId, memberId, op }) =>
    memberId && (op === "removed" ? noteRemover : noteChanger)({ kind, recordId }, memberId),
};

/** The handlers of all features; several may handle the same frame. */
const featureHandlers: FrameHandlers[] = [noticeHandlers, chatHandlers, presenceHandlers, editorHandlers];

/** Whether a frame waits for mutations of notices. Chat frames wait for none: the chat's mutations have no `mutationKey`. */
const isNoticeFrame = (type: FrameType) => type.startsWith("message.") || type.startsWith("notification.");

/** Applies all changes after a sequence number to the screen, until the returned function is called. */
export function startRealtime(client: QueryClient, member: string, after: number | undefined): () => void {
  const records = startInvalidation(client);
  // What waited when the page was left is sent from any screen.
  startEntries(client, member);
  const waiting: ServerFrame[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const handle = (frame: ServerFrame) => {
    for (const handlers of featureHandlers) {
      const handler = handlers[frame.type] as ((data: ServerFrame["data"], client: QueryClient) => void) | undefined;
      handler?.(frame.data, client);
    }
    if (frame.type === "record.changed") records.changed(frame.data);
    else if (frame.type === "resync") records.everything();
  };
  const handleWaiting = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const frame of waiting.splice(0)) handle(frame);
  };
  const isChangingNotices = () => client.isMutating({ mutationKey: ["notices"] }) > 0;
  const onSettled = () => {
    if (waiting.length > 0 && !isChangingNotices()) handleWaiting();
  };
  const onFrame = (frame: ServerFrame) => {
    if (!isNoticeFrame(frame.type) || (waiting.length === 0 && !isChangingNotices())) {
      handle(frame);
      return;
    }
    waiting.push(frame);
    timer ??= setTimeout(handleWaiting, mutationGraceMs);
  };

  const settled = client.getMutationCache().subscribe(() => queueMicrotask(onSettled));
  const stop = subscribeToFrames({ member, after, onFrame });
  return () => {
    stop();
    settled();
    clearTimeout(timer);
    records.stop();
  };
}
