import { useQuery } from "@tanstack/react-query";
import { Link2, Maximize2, Minimize2, Pencil, Trash2, X } from "lucide-react";
import { type ComponentType, type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useParams, useSearchParams } from "react-router";
import type { FieldValues, RecordOf, Stamped } from "@/api/schema";
import { Button } from "@/components/button";
import { Drawer } from "@/components/drawer";
import { DrawerHead } from "@/components/drawer-head";
import { IconButton } from "@/components/icon-button";
import { RecordTitle } from "@/components/record-title";
import { Sentence, slot } from "@/components/sentence";
import { SkeletonRows } from "@/components/skeleton";
import { useMay, useUser } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { linkParameter, parseLink } from "@/features/record-parts/concerned";
import { useLinkCreated } from "@/features/record-parts/data";
import { cx } from "@/lib/cx";
import { editState, useEditKey } from "@/lib/keys";
import { useAtLeast } from "@/lib/media";
import { commitTyped, isSaveKey } from "@/lib/save-key";
import { flag, readSearchParams } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { isGone, type RecordQuery, recordQuery, useKnownRecord } from "@/records/data";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { cardOf } from "@/records/record-titles";
import { useIsRemoved } from "@/records/removed";
import { useRemove } from "@/records/use-remove";
import { useTitle } from "@/shell/use-title";
import { RecordMissing, RecordMovedNote } from "./record-missing";
import { RecordParts } from "./record-parts";
import { RecordZones, type RecordZonesProps } from "./record-zones";
import { FactProvider, useFacts } from "./use-facts";
import { useFollowMerge } from "./use-follow-merge";
import { type RecordAddress, useRecordAddress } from "./use-record-address";
import { type FormPlace, hasDraft } from "./use-record-form";

const width = "sm:!w-140";

/** Whether a record takes the whole window, with its facts, timeline and related records beside each other. */
function useWide() {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation();
  const fits = useAtLeast("lg");
  const isWide = fits && readSearchParams(search, { wide: flag }).wide === true;
  const toggle = () =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (isWide) next.delete("wide");
        else next.set("wide", "1");
        return next;
      },
      { replace: true, preventScrollReset: true, state },
    );
  return { isWide, toggle: fits ? toggle : undefined };
}

type Shown = Stamped & { fields: FieldValues };

/** A record in its drawer, and what the member may do with it. */
export interface RecordFrame<R> {
  kind: CreatedKind;
  record: R;
  close: () => void;
  /** Shows the form, with the focus on the input of a field. */
  edit?: ((input?: string) => void) | undefined;
  remove?: (() => void) | undefined;
  /** What is rarely done with it; `gone` leaves a record that was deleted. */
  menu?: ((gone: () => void) => ReactNode) | undefined;
}

/** Returns a frame whose deletion also drops what is not saved yet. */
export function dropping<R>(frame: RecordFrame<R>, drop: () => void): RecordFrame<R> {
  const { remove, menu } = frame;
  const after = (leave: () => void) => () => {
    drop();
    leave();
  };
  return { ...frame, remove: remove && after(remove), menu: menu && ((gone) => menu(after(gone))) };
}

export interface RecordViewProps<R> {
  frame: RecordFrame<R>;
  /** At the left of the head, instead of the button that shows the form. */
  lead?: ReactNode;
  /** At the right of the head: the state of automatic saving. */
  note?: ReactNode;
  /** Saves at once by Ctrl+Enter, where the member may change the record. */
  onSave?: (() => void) | undefined;
  /** Its head and what belongs to it, for a kind that is shown in zones; without them, all is below each other. */
  zones?: Pick<RecordZonesProps, "head" | "related"> | undefined;
  children: ReactNode;
}

/** A record to read, or to edit with automatic saving: its head, its own facts, and what every record has below them. */
export function RecordView<R extends Shown>({ frame, lead, note, onSave, zones, children }: RecordViewProps<R>) {
  const { t } = useTranslation();
  const { kind, record, close, edit, remove, menu } = frame;
  const box = useRef<HTMLDivElement>(null);
  const { isWide, toggle } = useWide();
  /** Whether the fields are here, not in a form that `edit` shows. */
  const hasFields = onSave !== undefined && edit === undefined;
  const toFields = () => box.current?.querySelector<HTMLElement>("textarea, input")?.focus();
  useEditKey(hasFields ? toFields : edit && (() => edit()), box);
  const isAsked = useLocation().state === editState;
  const goToFields = useEffectEvent(toFields);
  useEffect(() => {
    if (isAsked && hasFields) goToFields();
  }, [isAsked, hasFields]);
  return (
    <>
      <header
        className={cx(
          "flex items-center gap-2 border-b border-line py-2.5",
          // The head begins and ends with the zones.
          isWide && zones
            ? "pr-[max(.75rem,calc((100%-85rem)/2+.75rem))] pl-[max(1.25rem,calc((100%-85rem)/2+1.25rem))]"
            : "pr-3 pl-5 sm:pl-6",
        )}
      >
        {lead ??
          (edit && (
            <Button data-refocus size="sm" icon={Pencil} onClick={() => edit()}>
              {t("ui.action.edit")}
            </Button>
          ))}
        <span className="@container flex min-w-0 flex-1 justify-end">{note}</span>
        {remove && <IconButton label={t("ui.action.delete")} icon={Trash2} tone="danger" onClick={remove} />}
        {menu?.(close)}
        {toggle && (
          <IconButton label={t(isWide ? "ui.records.beside" : "ui.records.wide")} icon={isWide ? Minimize2 : Maximize2} onClick={toggle} />
        )}
        <IconButton label={t("ui.action.close")} icon={X} onClick={close} />
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut of the fields inside */}
      <div
        ref={box}
        className={cx(
          "min-h-0 flex-1",
          isWide && !zones
            ? "grid grid-cols-[25rem_minmax(0,1fr)_22rem] *:min-h-0 *:overflow-y-auto *:border-l *:border-line *:first:border-0"
            : !isWide && "overflow-y-auto",
        )}
        onKeyDown={(event) => {
          if (!onSave || !isSaveKey(event)) return;
          commitTyped();
          onSave();
        }}
      >
        {zones ? (
          <RecordZones kind={kind} record={record} isWide={isWide} {...zones}>
            {children}
          </RecordZones>
        ) : isWide ? (
          <>
            <div className="pb-8">{children}</div>
            <RecordParts
              kind={kind}
              record={record}
              only="timeline"
              className="px-6 pt-2 [&>*]:mx-auto [&>*]:max-w-190 [&>:first-child]:border-0"
            />
            <RecordParts kind={kind} record={record} only="related" className="px-5 pt-2 [&>:first-child]:border-0" />
          </>
        ) : (
          <>
            {children}
            <RecordParts kind={kind} record={record} className="mx-5 mt-6 sm:mx-6" />
          </>
        )}
      </div>
    </>
  );
}

/** Whether a text was being typed in a box when a record was moved to the bin: then it stays until the record is left. */
function useHoldsText(isMoved: boolean, box: RefObject<HTMLElement | null>): boolean {
  const before = useRef<boolean>(undefined);
  if (!isMoved) before.current = undefined;
  else before.current ??= isTextField(document.activeElement) && (box.current?.contains(document.activeElement) ?? false);
  return before.current ?? false;
}

const isTextField = (element: Element | null) =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !["checkbox", "radio"].includes(element.type));

type View<K extends CreatedKind> = ComponentType<{ record: RecordOf<K> }>;

interface ZoneViews<K extends CreatedKind> {
  /** What names the record and says how things are. */
  head?: View<K> | undefined;
  /** What belongs to it. */
  related?: View<K> | undefined;
}

/** Returns the zones of a record, for a kind that has a head. */
const zonesOf = <K extends CreatedKind>({ head: Head, related: Related }: ZoneViews<K>, record: RecordOf<K>) =>
  Head && { head: <Head record={record} />, related: Related && <Related record={record} /> };

type InPlaceProps<K extends CreatedKind> = ZoneViews<K> & { frame: RecordFrame<RecordOf<K>>; view: View<K> };

/** A record to read whose facts are edited where they stand. */
function InPlace<K extends CreatedKind>({ frame, view: View, ...zones }: InPlaceProps<K>) {
  const facts = useFacts(frame.kind as K, frame.record, { toForm: frame.edit });
  return (
    <FactProvider value={facts.editing}>
      <RecordView
        frame={dropping(frame, facts.drop)}
        note={facts.note}
        onSave={facts.editing && facts.flush}
        zones={zonesOf(zones, frame.record)}
      >
        {facts.failureIn("mx-5 mt-5 sm:mx-6")}
        <View record={frame.record} />
      </RecordView>
      {facts.dialog}
    </FactProvider>
  );
}

type Form<K extends CreatedKind> = ComponentType<FormPlace<RecordOf<K>>>;

export interface RecordDrawerProps<K extends CreatedKind> extends ZoneViews<K> {
  kind: K;
  /** Its facts, to read. */
  view?: View<K>;
  /** Whether the facts are edited where they stand, too; of all records, or of those that it says. */
  inPlace?: boolean | ((record: RecordOf<K>) => boolean);
  /** Its form, for members who may change it. */
  form?: Form<K>;
  /** A view of its own, for a kind that is edited in place. */
  editor?: ComponentType<{ frame: RecordFrame<RecordOf<K>> }>;
  /** Reads the record in the kind's own way. */
  query?: RecordQuery<K>;
  /** Deletes a record in the kind's own way; `whole` moves it to the bin. */
  remove?: (record: RecordOf<K>, whole: () => void) => void;
  /** What is rarely done with a record. */
  menu?: ComponentType<{ record: RecordOf<K>; onGone: () => void }>;
  /** Leads back to the list, for a kind whose addresses have parameters of their own. */
  address?: RecordAddress;
  children?: ReactNode;
}

/** The record of the address beside its list: view first, and its form. The state of a navigation may ask for the form at once. */
export function RecordDrawer<K extends CreatedKind>(props: RecordDrawerProps<K>) {
  const { id = "" } = useParams();
  return <ShownRecord key={id} {...props} id={id} />;
}

function ShownRecord<K extends CreatedKind>(props: RecordDrawerProps<K> & { id: string }) {
  const { kind, id, head, view: View, related, form: Form, editor: Editor, menu: RecordMenu, children } = props;
  const { t, i18n } = useTranslation();
  const { name } = recordKinds[kind];
  const kindName = t(`ui.records.kinds.${kind as CreatedKind}`);
  const usualAddress = useRecordAddress(kind);
  const { toList } = props.address ?? usualAddress;
  const isRemoved = useIsRemoved(id);
  const isAsked = useLocation().state === editState;
  const me = useUser();
  const [editing, setEditing] = useState(() => isAsked || (Form !== undefined && hasDraft(kind, id, me.id)));
  /** The field whose input in the form was asked for. */
  const [asked, setAsked] = useState<string>();
  const form = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (editing && asked) form.current?.querySelector<HTMLElement>(`[name^="${asked}."]`)?.focus();
  }, [editing, asked]);
  const query = props.query ?? recordQuery(kind, id);
  const { data: latest, error, refetch } = useQuery({ ...query, enabled: query.enabled !== false && !isRemoved });
  // A record that a colleague deleted is gone, whatever was read before; what is being typed stays.
  const isMoved = isGone(error) && latest !== undefined;
  const holdsText = useHoldsText(isMoved, box);
  const data = isMoved && !editing && !holdsText ? undefined : latest;
  const known = useKnownRecord(kind, id);
  // A list has the record as the kind's usual query reads it.
  const record = data ?? (error || props.query ? undefined : known);
  const title = record ? cardOf(record).title : "";
  const named = latest ?? known;
  const movedTitle = named && cardOf(named).title;
  // What is being typed in its form stays.
  const isLeaving = useFollowMerge(kind, editing ? undefined : error, known && cardOf(known).title);
  const mayWrite = useMay(`${name}.write`);
  const mayDelete = useMayDelete(kind);
  const { mutate } = useRemove(kind);
  const { isWide } = useWide();
  useTitle(title || t(`ui.${name}.title`));

  const whole = () => mutate({ id, title }, { onSuccess: toList });
  const remove = record && mayDelete(record) ? () => (props.remove ? props.remove(record, whole) : whole()) : undefined;
  const leave = () => setEditing(false);
  const content = () => {
    if (!record) {
      return (
        <>
          <DrawerHead title={kindName} onClose={toList} />
          {error && !isLeaving ? (
            <RecordMissing kind={kind} id={id} title={movedTitle} error={error} wasShown={isMoved} onRetry={() => void refetch()} />
          ) : (
            <SkeletonRows className="p-6" />
          )}
        </>
      );
    }
    if (editing && Form && mayWrite && data) {
      return (
        <>
          <DrawerHead title={t("ui.records.edit", { kind: kindName.toLocaleLowerCase(i18n.language) })} onClose={toList} />
          <div ref={form} className="contents">
            <Form record={data} onSaved={leave} onCancel={leave} onDelete={remove} />
          </div>
        </>
      );
    }
    const show = (input?: string) => {
      setAsked(input);
      setEditing(true);
    };
    const edit = Form && mayWrite && data ? show : undefined;
    const menu = RecordMenu && ((gone: () => void) => <RecordMenu record={record} onGone={gone} />);
    const frame = { kind, record, close: toList, edit, remove, menu };
    if (Editor) return <Editor frame={frame} />;
    const isInPlace = typeof props.inPlace === "function" ? props.inPlace(record) : props.inPlace;
    if (View && isInPlace) return <InPlace<K> frame={frame} head={head} view={View} related={related} />;
    return (
      <RecordView frame={frame} zones={zonesOf({ head, related }, record)}>
        {View && <View record={record} />}
      </RecordView>
    );
  };
  return (
    <Drawer label={title || kindName} isOpen onOpenChange={toList} className={isWide && !editing ? "w-full!" : width}>
      <div ref={box} className="contents">
        {isMoved && data && <RecordMovedNote kind={kind} id={id} title={movedTitle} error={error} />}
        {content()}
      </div>
      {children}
    </Drawer>
  );
}

/** The form of a new record beside its list; the saved record replaces it. */
export function NewRecordDrawer<K extends CreatedKind>(props: Pick<RecordDrawerProps<K>, "kind" | "address"> & { form: Form<K> }) {
  const { kind, form: Form } = props;
  const { t } = useTranslation();
  const usualAddress = useRecordAddress(kind);
  const { toList, toRecord } = props.address ?? usualAddress;
  const label = t(`ui.${recordKinds[kind].name}.add`);
  useTitle(label);
  const [search] = useSearchParams();
  // The record from which this one is added.
  const { link } = readSearchParams(search, { [linkParameter]: parseLink });
  const { mutate: linkCreated } = useLinkCreated();
  const onSaved = (record: RecordOf<K>) => {
    toast.success(t("ui.records.added", { title: cardOf(record).title }));
    if (link) linkCreated({ record: { kind, id: record.id }, other: link });
    toRecord(record.id);
  };
  return (
    <Drawer label={label} isOpen onOpenChange={toList} className={width}>
      <DrawerHead title={label} onClose={toList} />
      {link && (
        <p className="flex items-start gap-2 border-b border-line bg-sunken px-5 py-2.5 text-sm text-soft sm:px-6">
          <Link2 aria-hidden size={16} className="mt-0.5" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Sentence
              text={t("ui.records.willLink", { title: slot("title") })}
              slots={{
                title: (
                  <b className="font-medium text-ink">
                    <RecordTitle {...link} />
                  </b>
                ),
              }}
            />
          </span>
        </p>
      )}
      <Form record={undefined} onSaved={onSaved} onCancel={toList} />
    </Drawer>
  );
}
