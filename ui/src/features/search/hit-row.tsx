import { CircleCheck, MessageCircle } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Hit } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Marked } from "@/components/marked";
import { cx } from "@/lib/cx";
import { markMatches } from "@/lib/match";

interface Row {
  hit: Hit;
  query: string;
}

/** The second line of a result: why it was found, when its title does not show it, or else a description. */
function SecondLine({ hit, query, otherwise }: Row & { otherwise?: ReactNode }) {
  const { t } = useTranslation();
  if (!hit.reason && !otherwise) return null;
  return (
    <span dir="auto" className="block truncate text-sm text-muted">
      {hit.reason ? (
        <>
          {t("ui.search.reason", { field: hit.reason.label })} <Marked pieces={markMatches(hit.reason.text, query)} />
        </>
      ) : (
        otherwise
      )}
    </span>
  );
}

function ContactRow({ hit, query }: Row) {
  return (
    <>
      <Avatar name={hit.value} src={hit.avatar} size={32} />
      <span className="min-w-0">
        <span dir="auto" className="block truncate">
          <Marked pieces={markMatches(hit.value, query)} />
        </span>
        <SecondLine hit={hit} query={query} otherwise={hit.subtitle && <Marked pieces={markMatches(hit.subtitle, query)} />} />
      </span>
    </>
  );
}

/** A record, or a screen. */
function TitleRow({ hit, query }: Row) {
  const { t } = useTranslation();
  return (
    <span className="min-w-0">
      <span dir="auto" className="block truncate">
        <Marked pieces={markMatches(hit.value, query)} />
      </span>
      <SecondLine hit={hit} query={query} otherwise={hit.subtitle ?? t(hit.kind ? `ui.records.kinds.${hit.kind}` : "ui.search.screen")} />
    </span>
  );
}

function TaskRow({ hit, query }: Row) {
  const { t } = useTranslation();
  return (
    <>
      <CircleCheck aria-hidden size={20} className={cx("shrink-0", hit.completed ? "text-accent" : "text-gray-400")} />
      <span className="min-w-0">
        <span dir="auto" className={cx("block truncate", hit.completed && "text-muted line-through")}>
          <Marked pieces={markMatches(hit.value, query)} />
        </span>
        {hit.completed && <span className="sr-only">{t("ui.search.completed")}</span>}
        <SecondLine hit={hit} query={query} />
      </span>
    </>
  );
}

/** A chat message: its text, and its conversation. */
function ChatHitRow({ hit, query }: Row) {
  return (
    <>
      <MessageCircle aria-hidden size={20} className="shrink-0 text-muted" />
      <span className="min-w-0">
        <span dir="auto" className="block truncate">
          <Marked pieces={markMatches(hit.value, query)} />
        </span>
        {hit.subtitle && (
          <span dir="auto" className="block truncate text-sm text-muted">
            {hit.subtitle}
          </span>
        )}
      </span>
    </>
  );
}

const rowOf: Record<string, ComponentType<Row>> = { contacts: ContactRow, tasks: TaskRow, chat: ChatHitRow };

/** One result, in the form of its kind. */
export function HitRow({ kind, ...rest }: Row & { kind: string }) {
  const Row = rowOf[kind] ?? TitleRow;
  return <Row {...rest} />;
}
