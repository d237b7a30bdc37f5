import { useEffect } from "react";
import { useCompanyInfo } from "@/shell/company-info";

/** What the tab is called without a count. */
let name = "";
let waiting = 0;
/** Beyond this it only matters that it is many. */
const most = 99;

function write() {
  document.title = waiting > 0 ? `(${waiting > most ? `${most}+` : waiting}) ${name}` : name;
}

/** Names the browser tab: the screen, then the company. */
export function useTitle(title: string) {
  const company = useCompanyInfo((state) => state.company.name);
  useEffect(() => {
    name = title ? `${title} · ${company}` : company;
    write();
  }, [title, company]);
}

/** Puts before the tab's name how much waits to be read. */
export function countInTitle(count: number) {
  waiting = count;
  if (name) write();
}
