import type { Notice } from "@/api/schema";
import { cleanFragment } from "@/components/html";

/** Returns a message's subject, which is at the beginning of its text, in bold. */
export function subjectOf({ description }: Notice): string {
  return (
    cleanFragment(description ?? "", false)
      .querySelector("strong")
      ?.textContent?.trim() ?? ""
  );
}
