import type { Notice } from "@/api/schema";
import { plainTitle } from "./opening";

/** Returns the author's name, unless it is the title; undefined for items from the system. */
export function senderOf(notice: Notice): string | undefined {
  const { from } = notice;
  return from && plainTitle(notice) !== from.name ? from.name : undefined;
}

/** Whether it has a link other than the one to answer its sender. */
export const leadsElsewhere = ({ link, from }: Notice) => Boolean(link) && link !== `/messages?to=${from?.memberId}`;
