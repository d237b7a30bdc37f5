import { Search } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { isTyping } from "@/lib/keys";
import { late } from "@/lib/late";

const SearchBar = late(() => import("./search-bar"));

/** An icon that opens a bar over the header; `/` and Ctrl or Cmd with K open it too. */
export function SearchTool() {
  const { t } = useTranslation();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event);
      const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!slash && !k) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  const close = () => {
    setOpen(false);
    requestAnimationFrame(() => ref.current?.focus());
  };
  return (
    <>
      <IconButton
        ref={ref}
        label={t("ui.search.title")}
        icon={Search}
        aria-expanded={open}
        aria-keyshortcuts="/ Control+K Meta+K"
        onClick={() => setOpen(true)}
        className="max-sm:w-9"
      />
      <Suspense>{open && <SearchBar onClose={close} />}</Suspense>
    </>
  );
}
