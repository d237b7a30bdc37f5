import { useEffect } from "react";
import { useCompanyInfo } from "@/shell/company-info";

/** The tab's title without a count. */
let name = "";
let waiting = 0;
/** Larger counts are shown as this number with a plus sign. */
const most = 99;

function write() {
  document.title = waiting > 0 ? `(${waiting > most ? `${most}+` : waiting}) ${name}` : name;
}

/** Sets the browser tab's title: the screen, then the company. */
export function useTitle(title: string) {
  const company = useCompanyInfo((state) => state.company.name);
  useEffect(() => {
    name = title ? `${title} · ${company}` : company;
    write();
  }, [title, company]);
}

/** Puts the number of unread items before the tab's title. */
export function countInTitle(count: number) {
  waiting = count;
  if (name) write();
}
