import { marked } from "marked";
import { type MouseEvent, useMemo } from "react";
import { useNavigate } from "react-router";
import { Html } from "@/components/html";
import { isInAppPath } from "@/lib/links";

/** Renders the application's own Markdown; links to other screens stay within the application. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  const navigate = useNavigate();
  const html = useMemo(() => marked.parse(text, { async: false }), [text]);
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest("a")?.getAttribute("href");
    if (!link || !isInAppPath(link) || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate(link);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are pressed; keys arrive as clicks
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <div onClick={follow} className={className}>
      <Html html={html} rich className="prose" />
    </div>
  );
}
