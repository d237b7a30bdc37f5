import { CirclePlus, Link2, type LucideIcon, Merge, MessageCircle, Paperclip, Pencil, RotateCcw, Trash2, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { TimelineEntry } from "@/api/schema";
import { Sentence, slot } from "@/components/sentence";
import { useMembers } from "@/features/team/data";
import { listOf, longDate, shortTime } from "@/lib/format";
import { withErasedPeople } from "@/records/erased-person";
import type { TimelineKind } from "@/records/timelines";
import { Changes, useFieldNames } from "./changes";

const icons: Record<Exclude<TimelineEntry["event"], "commented" | "logged">, LucideIcon> = {
  created: CirclePlus,
  changed: Pencil,
  removed: Trash2,
  restored: RotateCcw,
  merged: Merge,
  unmerged: Undo2,
  attached: Paperclip,
  referenced: CirclePlus,
  linked: Link2,
  mentioned: MessageCircle,
};

/** The time at the right of an entry. */
export function EntryTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={longDate(at)} className="shrink-0 text-xs leading-5 text-muted tabular-nums">
      {shortTime(at)}
    </time>
  );
}

/** Returns a function that names the member who did something; Atrium itself has no member. */
export function useActorName(): (id: string | undefined) => string {
  const { find } = useMembers();
  return (id) => (id ? (find(id)?.name ?? "…") : "Atrium");
}

/** Whether the only change of a task is that it was completed or reopened. */
const completion = ({ changes }: TimelineEntry) =>
  changes.length === 1 && changes[0]?.field === "completed" ? (changes[0].to === true ? "completed" : "reopened") : undefined;

/** What happened to a record, in a sentence, with the changed values below. */
export function Entry({ kind, entry }: { kind: TimelineKind; entry: TimelineEntry }) {
  const { t } = useTranslation();
  const nameOf = useActorName();
  const fieldNames = useFieldNames(kind);
  const { event, records, mention, merged } = entry;
  if (event === "commented" || event === "logged") return null;
  const Icon = icons[event];
  const done = event === "changed" ? completion(entry) : undefined;
  const other = event === "referenced" || event === "linked" ? records[0] : undefined;
  const card = (other ?? merged)?.card;
  const values = { actor: slot("actor"), title: slot("title"), fields: slot("fields"), file: slot("file") };
  const sentence = () => {
    if (event === "linked") return t("ui.timeline.linked", values);
    if (other) return t(`ui.dashboard.did.${other.kind}.created`, values);
    if (event === "mentioned") return t("ui.timeline.mentioned", { ...values, chat: slot("chat") });
    if (event === "created") return t(`ui.timeline.created.${kind}`, values);
    if (event === "attached") return t("ui.timeline.attached", values);
    if (event === "removed" || event === "restored" || event === "merged" || event === "unmerged") {
      return t(`ui.timeline.${event}`, values);
    }
    return done ? t(`ui.timeline.${done}`, values) : t("ui.timeline.changed", values);
  };
  const slots: Record<string, ReactNode> = {
    actor: (
      <b dir="auto" className="font-medium text-ink">
        {nameOf(entry.by)}
      </b>
    ),
    fields: <span className="font-medium text-ink">{listOf(fieldNames(entry.changes))}</span>,
    file: entry.file && (
      <a href={entry.file.path} download={entry.file.name} dir="auto" className="font-medium text-ink hover:underline">
        {entry.file.name}
      </a>
    ),
    chat: mention && (
      <Link to={`/chat/${mention.chatId}?message=${mention.messageId}`} className="font-medium text-ink hover:underline">
        {t("ui.timeline.inChat")}
      </Link>
    ),
    title: card ? (
      <Link to={card.link} dir="auto" className="font-medium text-ink hover:underline">
        {card.title || t("ui.records.untitled")}
      </Link>
    ) : merged ? (
      // It is in the bin, or gone: its name when it was merged.
      <span dir="auto" className="font-medium text-ink">
        {withErasedPeople(merged.title) || t("ui.records.untitled")}
      </span>
    ) : (
      <span className="font-medium text-muted">{t("ui.chat.referenceGone")}</span>
    ),
  };
  return (
    <>
      <span aria-hidden className="z-1 grid size-7 place-items-center rounded-full bg-hover text-soft ring-4 ring-surface">
        <Icon size={15} />
      </span>
      <div className="min-w-0 flex-1 pt-1">
        <p className="text-soft [overflow-wrap:anywhere]">
          <Sentence text={sentence()} slots={slots} />
        </p>
        {mention?.text && (
          <p dir="auto" className="mt-1 line-clamp-3 text-sm text-muted [overflow-wrap:anywhere]">
            {mention.text}
          </p>
        )}
        {!done && <Changes kind={kind} changes={entry.changes} records={records} isNamed={merged !== undefined} />}
      </div>
      <span className="pt-1">
        <EntryTime at={entry.at} />
      </span>
    </>
  );
}
