import type { Company, VersionInfo } from "@/api/schema";

/** What the server wrote into the page, so that the company shows from the first byte. */
export interface PageInfo {
  company?: Company;
  locale?: string;
  frontVersion?: string;
  signup?: VersionInfo["signup"];
}

let read: PageInfo | undefined;

export function pageInfo(): PageInfo {
  if (read) return read;
  try {
    const content = document.querySelector<HTMLMetaElement>('meta[name="atrium"]')?.content;
    read = content ? (JSON.parse(content) as PageInfo) : {};
  } catch {
    read = {};
  }
  return read;
}
