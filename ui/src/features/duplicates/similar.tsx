import { useQuery } from "@tanstack/react-query";
import { ChevronUp, CopyCheck } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { type Control, type FieldValues, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import type { Duplicate, DuplicateQuery } from "@/api/schema";
import { cx } from "@/lib/cx";
import { toast } from "@/lib/toast";
import { useDebounced } from "@/lib/use-debounced";
import { type MergedKind, openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { similarQuery } from "./data";
import { DuplicateCard } from "./duplicate-card";
import { sortedReasons, useReasonTexts } from "./reasons";

/** Milliseconds without a change before similar records are looked for. */
const typingPauseMs = 400;
/** Letters of a name, and digits of a number, from which on they say something. */
const minNameLength = 3;
const minDigits = 6;
/** Maximum that the server takes. */
const maxEach = 10;
const maxShown = 3;
const email = /^\S+@\S+\.\S+$/;

/** The values of a form that tell whether a record exists already. */
interface TypedValues {
  name?: string;
  emails?: { email: string }[];
  phoneNumbers?: { country: string; phoneNumber: string }[];
  company?: string;
  birthday?: string | null;
  website?: string;
}

/** Returns what is looked for; undefined while too little was typed. */
function queryOf(kind: MergedKind, typed: TypedValues): DuplicateQuery | undefined {
  const name = typed.name?.trim() ?? "";
  const emails = (typed.emails ?? []).map((one) => one.email.trim()).filter((text) => email.test(text));
  const phones = (typed.phoneNumbers ?? [])
    .map(({ country, phoneNumber }) => ({ ...(country && { country }), phoneNumber: phoneNumber.trim() }))
    .filter(({ phoneNumber }) => phoneNumber.replace(/\D/g, "").length >= minDigits);
  if (name.length < minNameLength && emails.length === 0 && phones.length === 0) return undefined;
  const company = typed.company?.trim();
  const website = typed.website?.trim();
  return {
    kind: recordKinds[kind].name,
    ...(name && { name }),
    ...(emails.length > 0 && { emails: emails.slice(0, maxEach) }),
    ...(phones.length > 0 && { phones: phones.slice(0, maxEach) }),
    ...(company && { company }),
    ...(typed.birthday && { birthday: typed.birthday }),
    ...(website && { website }),
  };
}

/** The toast that leads back to the form. */
let offered: number | undefined;

export interface SimilarBarProps<V extends FieldValues> {
  kind: MergedKind;
  form: { control: Control<V>; record: object | undefined; frame: { allowLeave: () => void } };
}

/**
 * Looks for records like the new one that is being typed, and says so in a line above the buttons of the form, where it moves
 * no field and closes no list; a press shows them.
 */
export function SimilarBar<V extends FieldValues>(props: SimilarBarProps<V>) {
  return props.form.record ? null : <WatchedBar {...props} />;
}

function WatchedBar<V extends FieldValues>({ kind, form }: SimilarBarProps<V>) {
  const { t } = useTranslation();
  const { text } = useReasonTexts();
  const id = useId();
  const location = useLocation();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const typed = useWatch({ control: form.control }) as TypedValues;
  const asked = JSON.stringify(queryOf(kind, typed) ?? null);
  const rested = JSON.parse(useDebounced(asked, typingPauseMs)) as DuplicateQuery | null;
  const { data } = useQuery({ ...similarQuery(rested ?? { kind: recordKinds[kind].name }), enabled: rested !== null });
  const items = (rested && asked !== "null" && data?.slice(0, maxShown)) || [];
  const [best] = items;
  useEffect(() => {
    if (offered !== undefined) toast.dismiss(offered);
  }, []);
  const onOpen = () => {
    form.frame.allowLeave();
    const back = location.pathname + location.search;
    offered = toast.offer(t("ui.duplicates.draftKept"), { label: t("ui.duplicates.toDraft"), run: () => void navigate(back) });
  };
  const title = t(`ui.duplicates.similar.${kind}`);
  const lineOf = ({ card, reasons }: Duplicate, separator: string) => [card.title, ...sortedReasons(reasons).map(text)].join(separator);
  return (
    <>
      <p role="status" className="sr-only">
        {best && [title, ...items.map((item) => lineOf(item, ", "))].join(". ")}
      </p>
      {best && (
        <section aria-label={title} className="border-t border-line bg-tint px-3 text-sm text-on-tint animate-fade sm:px-4">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
            className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 py-1.5 text-left"
          >
            <CopyCheck aria-hidden size={16} className="shrink-0" />
            <span className="flex min-w-0 flex-1 flex-wrap gap-x-2">
              <span className="font-medium">{title}</span>
              {!isOpen && (
                <span dir="auto" className="min-w-0 truncate">
                  {lineOf(best, " · ")}
                </span>
              )}
            </span>
            <ChevronUp aria-hidden size={16} className={cx("shrink-0 transition-transform duration-150", isOpen && "rotate-180")} />
          </button>
          <ul id={id} hidden={!isOpen} className="mb-2 max-h-[40dvh] overflow-y-auto rounded-control bg-surface p-1 text-ink">
            {items.map((duplicate) => (
              <li key={duplicate.id}>
                <Link
                  to={`${pathOfKind(kind)}/${duplicate.id}`}
                  // Closing the record leads back to the form.
                  state={openedState}
                  onClick={(event) => {
                    if (!event.metaKey && !event.ctrlKey && !event.shiftKey) onOpen();
                  }}
                  className="flex min-h-10 items-center gap-2.5 rounded-lg px-2 py-1 hover:bg-hover pointer-coarse:min-h-11"
                >
                  <DuplicateCard duplicate={duplicate} isLink />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
