import type { NavigateFunction } from "react-router";
import type { Notice } from "@/api/schema";
import { cleanFragment } from "@/components/html";
import { isInAppPath, isSafeLink } from "@/lib/links";
import { compose } from "./compose/store";
import type { NoticeKind } from "./data";

/** Returns the text of short HTML. */
const textOf = (html: string) => (cleanFragment(html, false).textContent ?? "").replace(/\s+/g, " ").trim();

/** Returns a notice as one line without markup: its title, or its text if it has none. */
export const plainTitle = ({ title, description }: Notice) => textOf(title || (description ?? "")).slice(0, 160);

/** Opens a notice that was pressed outside of the application: the message to answer, its link, or its list. */
export function openNotice(kind: NoticeKind, notice: Notice, navigate: NavigateFunction) {
  const { link, from } = notice;
  if (from && kind === "messages" && link === `/messages?to=${from.memberId}`) compose({ answering: notice });
  else if (link && isInAppPath(link)) void navigate(link);
  else if (link && isSafeLink(link)) open(link, "_blank", "noopener");
  else void navigate(`/${kind}`);
}
