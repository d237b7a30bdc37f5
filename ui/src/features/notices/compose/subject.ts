import type { Notice } from "@/api/schema";
import { cleanFragment } from "@/components/html";

/** What a message from a colleague is about: it comes first in its text, in bold. */
export function subjectOf({ description }: Notice): string {
  return (
    cleanFragment(description ?? "", false)
      .querySelector("strong")
      ?.textContent?.trim() ?? ""
  );
}
