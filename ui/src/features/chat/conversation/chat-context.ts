import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { useTranslation } from "react-i18next";
import type { Chat } from "@/api/schema";
import { useUser } from "@/features/account/data";
import { locale } from "@/lib/locale";
import { contactsQuery } from "../data";

/** A current or former participant. */
export interface Person {
  id: string;
  name: string;
  avatar?: string | null | undefined;
}

/** The current conversation. */
export const ChatContext = createContext<Chat | undefined>(undefined);

/** Returns the participants other than the member. */
export function partners(chat: Chat, me: string): (Person & { status: Chat["contact"]["status"] })[] {
  return chat.group ? chat.group.members.filter(({ id }) => id !== me) : [chat.contact];
}

/** Returns a function that finds people by id: in the conversation, else in the company, else as a former member. */
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

/** Returns a function that lists names in words: the member last, as "you". */
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
