import { useEffect, useState } from "react";
import { useCompanyInfo } from "@/shell/company-info";

/** The tab's title without a count. */
let name = "";
/** The titles of the screen and its panels, by the order in which they opened. */
const titles = new Map<number, string>();
let opened = 0;
let unread = 0;
/** Larger counts are shown as this number with a plus sign. */
const maxCount = 99;

function write() {
  document.title = unread > 0 ? `(${unread > maxCount ? `${maxCount}+` : unread}) ${name}` : name;
}

function nameLatest() {
  const latest = titles.get(Math.max(...titles.keys()));
  // Between two screens there is none.
  if (latest === undefined) return;
  name = latest;
  write();
}

/** Sets the browser tab's title: the screen or the panel before it, then the company. */
export function useTitle(title: string) {
  const company = useCompanyInfo((state) => state.company.name);
  // A screen renders before its panel, whichever runs its effects first.
  const [order] = useState(() => ++opened);
  useEffect(() => {
    titles.set(order, title ? `${title} · ${company}` : company);
    nameLatest();
    return () => {
      titles.delete(order);
      nameLatest();
    };
  }, [title, company, order]);
}

/** Puts the number of unread items before the tab's title. */
export function countInTitle(count: number) {
  unread = count;
  if (name) write();
}
