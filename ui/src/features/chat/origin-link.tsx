import { MessageCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";

/** Returns the address of the chat message that a text links to, if any. */
export function originIn(text: string): string | undefined {
  const [, path] = /(?:^|\s)(https?:\/\/[^\s/]+\/chat\/[0-9a-f-]+\?message=[0-9a-f-]+)(?=\s|$)/.exec(text) ?? [];
  if (!path) return undefined;
  const { origin, pathname, search } = new URL(path);
  return origin === location.origin ? pathname + search : undefined;
}

/** A link from a record to the chat message it was created from. */
export function OriginLink({ text }: { text: string | undefined }) {
  const { t } = useTranslation();
  const to = originIn(text ?? "");
  if (!to) return null;
  return (
    <Link to={to} className="inline-flex items-center gap-2 justify-self-start font-medium text-accent hover:underline">
      <MessageCircle aria-hidden size={16} />
      {t("ui.chat.toMessage")}
    </Link>
  );
}
