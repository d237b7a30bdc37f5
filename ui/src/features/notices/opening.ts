import type { NavigateFunction } from "react-router";
import type { Notice } from "@/api/schema";
import { cleanFragment } from "@/components/html";
import { isInAppPath, isSafeLink } from "@/lib/links";
import { compose } from "./compose/store";
import type { NoticeKind } from "./data";

/** The text of a few lines of HTML. */
const textOf = (html: string) => (cleanFragment(html, false).textContent ?? "").replace(/\s+/g, " ").trim();

/** What a notice tells, in one line without markup: nothing beyond its title where it has one. */
export const plainTitle = ({ title, description }: Notice) => textOf(title || (description ?? "")).slice(0, 160);

/** What a press on a notice outside of the application does: the message to answer, what it tells of, or the list it is in. */
export function openNotice(kind: NoticeKind, notice: Notice, navigate: NavigateFunction) {
  const { link, from } = notice;
  if (from && kind === "messages" && link === `/messages?to=${from.memberId}`) compose({ answering: notice });
  else if (link && isInAppPath(link)) void navigate(link);
  else if (link && isSafeLink(link)) open(link, "_blank", "noopener");
  else void navigate(`/${kind}`);
}
