import type { Notice } from "@/api/schema";
import { plainTitle } from "./opening";

/** The name of the member who wrote it, unless its title is that name; none for what comes from the system. */
export function senderOf(notice: Notice): string | undefined {
  const { from } = notice;
  return from && plainTitle(notice) !== from.name ? from.name : undefined;
}

/** Whether it has a link other than that for answering its sender. */
export const leadsElsewhere = ({ link, from }: Notice) => Boolean(link) && link !== `/messages?to=${from?.memberId}`;
