import type { Company, VersionInfo } from "@/api/schema";

/** Values that the server wrote into the page, so that the company's name and look show at once. */
export interface PageConfig {
  company?: Company;
  locale?: string;
  /** The version of this interface: the one that the server was built with, not that of `package.json`. */
  frontVersion?: string;
  signup?: VersionInfo["signup"];
}

let read: PageConfig | undefined;

export function readPageConfig(): PageConfig {
  if (read) return read;
  try {
    const content = document.querySelector<HTMLMetaElement>('meta[name="atrium"]')?.content;
    read = content ? (JSON.parse(content) as PageConfig) : {};
  } catch {
    read = {};
  }
  return read;
}
