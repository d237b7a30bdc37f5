import { useEffect } from "react";
import { useVersion } from "./version";

/** Names the browser tab: the screen, then the company. */
export function useTitle(title: string) {
  const company = useVersion((state) => state.company.name);
  useEffect(() => {
    document.title = title ? `${title} · ${company}` : company;
  }, [title, company]);
}
