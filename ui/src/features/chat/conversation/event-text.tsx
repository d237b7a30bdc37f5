import { useTranslation } from "react-i18next";
import type { ChatMessage } from "@/api/schema";
import { useNames, usePeople } from "./chat-context";

/** An event in a group, as a line of its own. */
export function EventText({ message }: { message: ChatMessage }) {
  const { t } = useTranslation();
  const names = useNames();
  const person = usePeople();
  const { event, contactId, isMine } = message;
  if (!event) return null;
  const who = isMine ? t("ui.chat.youFirst") : person(contactId).name;
  const whom = names(event.memberIds);
  return t(`ui.chat.events.${event.what}`, { ...(isMine && { context: "own" }), who, whom, name: event.name ?? "" });
}
