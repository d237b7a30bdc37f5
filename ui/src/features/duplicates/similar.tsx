import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef } from "react";
import { type Control, type FieldValues, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import type { Duplicate, DuplicateQuery, DuplicateReason } from "@/api/schema";
import { scrollerOf } from "@/lib/scroll-anchor";
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

/** The field of a form that a note stands below. */
type Place = "name" | "emails" | "phoneNumbers" | "company" | "birthday" | "website";
const placeOf: Record<DuplicateReason["reason"], Place> = {
  email: "emails",
  phone: "phoneNumbers",
  name: "name",
  swappedName: "name",
  similarName: "name",
  organization: "company",
  birthday: "birthday",
  website: "website",
};

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

/** Keeps the field that has the focus where it is on the screen when what is above it becomes taller or shorter. */
function useFocusInPlace(shown: string) {
  const before = useRef<{ field: Element; top: number }>(undefined);
  const drawn = useRef(shown);
  if (drawn.current !== shown) {
    const field = document.activeElement;
    before.current = field && field !== document.body ? { field, top: field.getBoundingClientRect().top } : undefined;
  }
  useLayoutEffect(() => {
    if (drawn.current === shown) return;
    drawn.current = shown;
    const { field, top } = before.current ?? {};
    if (!field?.isConnected || top === undefined) return;
    const moved = field.getBoundingClientRect().top - top;
    if (Math.abs(moved) >= 1) scrollerOf(field).scrollBy({ top: moved, behavior: "instant" });
  }, [shown]);
}

interface Similar {
  kind: MergedKind;
  items: Duplicate[];
  place: Place | undefined;
  /** Called before a link leads away. */
  onOpen: () => void;
}

/** The toast that leads back to the form. */
let offered: number | undefined;

const SimilarContext = createContext<Similar | undefined>(undefined);

export interface SimilarRecordsProps<V extends FieldValues> {
  kind: MergedKind;
  form: { control: Control<V>; record: object | undefined; frame: { allowLeave: () => void } };
  children: ReactNode;
}

/** Looks for records like the new one that is being typed; a `SimilarNote` below a field inside shows them. */
export function SimilarRecords<V extends FieldValues>(props: SimilarRecordsProps<V>) {
  return props.form.record ? props.children : <WatchedForm {...props} />;
}

function WatchedForm<V extends FieldValues>({ kind, form, children }: SimilarRecordsProps<V>) {
  const { t } = useTranslation();
  const { text } = useReasonTexts();
  const location = useLocation();
  const navigate = useNavigate();
  const typed = useWatch({ control: form.control }) as TypedValues;
  const asked = JSON.stringify(queryOf(kind, typed) ?? null);
  const rested = JSON.parse(useDebounced(asked, typingPauseMs)) as DuplicateQuery | null;
  const { data } = useQuery({ ...similarQuery(rested ?? { kind: recordKinds[kind].name }), enabled: rested !== null });
  const items = (rested && asked !== "null" && data?.slice(0, maxShown)) || [];
  const [best] = items;
  const [reason] = sortedReasons(best?.reasons ?? []);
  const place = reason && placeOf[reason.reason];
  useFocusInPlace([place, ...items.map(({ id }) => id)].join());
  useEffect(() => {
    if (offered !== undefined) toast.dismiss(offered);
  }, []);
  const onOpen = () => {
    form.frame.allowLeave();
    const back = location.pathname + location.search;
    offered = toast.offer(t("ui.duplicates.draftKept"), { label: t("ui.duplicates.toDraft"), run: () => void navigate(back) });
  };
  return (
    <SimilarContext value={{ kind, items, place, onOpen }}>
      <p role="status" className="sr-only">
        {best &&
          [
            t(`ui.duplicates.similar.${kind}`),
            ...items.map(({ card, reasons }) => [card.title, ...sortedReasons(reasons).map(text)].join(", ")),
          ].join(". ")}
      </p>
      {children}
    </SimilarContext>
  );
}

/** Below a field of a new record: the records that it may be, if this field says so. */
export function SimilarNote({ at }: { at: Place }) {
  const { t } = useTranslation();
  const similar = useContext(SimilarContext);
  if (!similar || similar.items.length === 0 || (similar.place ?? "name") !== at) return null;
  const { kind, items, onOpen } = similar;
  const title = t(`ui.duplicates.similar.${kind}`);
  return (
    <section aria-label={title} className="-mt-2.5 rounded-control border border-line bg-sunken px-1.5 pt-2.5 pb-1.5 text-sm animate-fade">
      <p className="px-2 font-medium text-ink">{title}</p>
      <ul className="mt-1">
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
  );
}
