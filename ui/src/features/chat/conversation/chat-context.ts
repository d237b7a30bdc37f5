import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { useTranslation } from "react-i18next";
import type { Chat } from "@/api/schema";
import { useUser } from "@/features/account/data";
import { locale } from "@/lib/format";
import { contactsQuery } from "../data";

/** Somebody who takes or took part. */
export interface Person {
  id: string;
  name: string;
  avatar?: string | null | undefined;
}

/** The conversation whose people are meant. */
export const ChatContext = createContext<Chat | undefined>(undefined);

/** Who takes part besides the person. */
export function partners(chat: Chat, me: string): (Person & { status: Chat["contact"]["status"] })[] {
  return chat.group ? chat.group.members.filter(({ id }) => id !== me) : [chat.contact];
}

/** Finds people by id: of the conversation, else of the company; who is neither was a member once. */
export function usePeople(): (id: string) => Person {
  const { t } = useTranslation();
  const user = useUser();
  const chat = useContext(ChatContext);
  const { data: contacts } = useQuery(contactsQuery);
  return (id) => {
    if (id === user.id) return { id, name: user.name, avatar: user.avatar };
    const known = chat && partners(chat, user.id).find((one) => one.id === id);
    return known ?? contacts?.find((one) => one.id === id) ?? { id, name: t("ui.chat.formerMember") };
  };
}

/** Names as words: the person last, as "you". */
export function useNames(): (ids: string[]) => string {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const person = usePeople();
  return (ids) => {
    const names = ids.filter((id) => id !== me).map((id) => person(id).name);
    if (ids.includes(me)) names.push(t("ui.chat.you"));
    return new Intl.ListFormat(locale(), { type: "conjunction" }).format(names);
  };
}
