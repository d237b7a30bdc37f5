import { useQuery } from "@tanstack/react-query";
import { LockKeyhole, Merge, Pencil, SearchX, Tags, Trash2 } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Tag } from "@/api/schema";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { LargeCheckbox } from "@/components/checkbox";
import { ColourMenu } from "@/components/colour-menu";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { MoreRows } from "@/components/more-rows";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { Tag as TagView } from "@/components/tag";
import { tagPath } from "@/components/tag-link";
import { useMay } from "@/features/account/data";
import { fold } from "@/lib/fold";
import { formatNumber } from "@/lib/format";
import { toast } from "@/lib/toast";
import { recordKinds } from "@/records/kinds";
import { tagsQuery } from "@/records/tags";
import { tagCalls, useColourTag } from "./data";
import { LastChange } from "./last-change";
import { MergeDialog, RenameDialog } from "./rename-dialog";
import { followTagChange, refusalText } from "./tag-work";

/** The kinds whose records have tags, in the order in which they are shown. */
const tagged = ["customer", "organization", "deal", "task"] as const;

/** Rows at first, and further ones with each press. */
const rowsAtOnce = 50;

/** The number of records of each kind that have a tag; each number leads to them. */
function Counts({ tag, kinds }: Tag) {
  const { t } = useTranslation();
  const links = tagged.flatMap((kind) => {
    const { name } = recordKinds[kind];
    const records = kinds.find((one) => one.kind === name)?.records ?? 0;
    if (records === 0) return [];
    const text = t(`ui.tags.counts.${name}`, { count: records, total: formatNumber(records) });
    return [{ kind, text, to: tagPath(kind, tag) }];
  });
  if (links.length === 0) return <p className="text-sm text-muted">{t("ui.tags.unused")}</p>;
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-muted tabular-nums pointer-coarse:mt-3 pointer-coarse:gap-y-6">
      {links.map(({ kind, text, to }) => (
        <Link key={kind} to={to} className="fingertip relative hover:text-ink hover:underline">
          {text}
        </Link>
      ))}
    </p>
  );
}

interface RowProps {
  tag: Tag;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onRename: () => void;
  onRemove: () => void;
}

function Row({ tag: one, isSelected, onSelect, onRename, onRemove }: RowProps) {
  const { t } = useTranslation();
  const colour = useColourTag();
  const { tag, color } = one;
  return (
    <li
      data-item
      data-tag={tag}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-hover py-2.5 pr-3 pl-5 last:border-0 sm:pl-6"
    >
      <LargeCheckbox
        aria-label={t("ui.list.bulk.select", { name: tag })}
        checked={isSelected}
        onChange={(event) => onSelect(event.target.checked)}
      />
      <ColourMenu
        label={t("ui.tags.colorOf", { tag })}
        value={color}
        none={t("ui.tags.noColor")}
        onChange={(next) => colour.mutate({ tag, color: next })}
      />
      <div className="min-w-36 flex-1">
        <p dir="auto">
          <TagView colour={color}>{tag}</TagView>
        </p>
        <Counts {...one} />
      </div>
      <div className="flex gap-1">
        <IconButton data-rename label={t("ui.tags.renameNamed", { tag })} icon={Pencil} size="sm" onClick={onRename} />
        <IconButton label={t("ui.tags.removeNamed", { tag })} icon={Trash2} tone="danger" size="sm" onClick={onRemove} />
      </div>
    </li>
  );
}

/** The tags of all records, for administrators: their colours and names, and how many records have them. */
export function TagsSection() {
  const { t } = useTranslation();
  const may = useMay("settings.company");
  const { data, error, refetch } = useQuery({ ...tagsQuery, enabled: may });
  const [words, setWords] = useState("");
  const [most, setMost] = useState(rowsAtOnce);
  const [selected, setSelected] = useState<string[]>([]);
  const [asked, setAsked] = useState<{ what: "rename" | "remove"; tag: Tag } | { what: "merge" }>();
  const list = useRef<HTMLUListElement>(null);
  /** The tag of a change in progress, and those whose place it takes. */
  const [awaited, setAwaited] = useState<{ to: string; gone: string[] }>();
  // The order of the rows changes when the change is over: the focus goes along with the tag.
  useLayoutEffect(() => {
    if (!awaited || !data || data.some(({ tag }) => awaited.gone.includes(tag))) return;
    setAwaited(undefined);
    const active = document.activeElement;
    if (active !== document.body && !list.current?.contains(active)) return;
    list.current?.querySelector<HTMLElement>(`[data-tag="${CSS.escape(awaited.to)}"] [data-rename]`)?.focus();
  }, [awaited, data]);
  if (!may) {
    return (
      <Card>
        <EmptyState icon={LockKeyhole} title={t("ui.settings.noRight")} text={t("ui.settings.noRightText")} />
      </Card>
    );
  }
  const tags = data ?? [];
  const found = tags.filter(({ tag }) => fold(tag).includes(fold(words.trim())));
  const chosen = tags.filter(({ tag }) => selected.includes(tag));
  const close = () => setAsked(undefined);
  const remove = ({ tag }: Tag) => void tagCalls.remove(tag).then(followTagChange, (refusal) => toast.error(refusalText(refusal)));
  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} className="p-5" />;
    if (tags.length === 0) return <EmptyState icon={Tags} title={t("ui.tags.empty")} text={t("ui.tags.emptyText")} />;
    if (found.length === 0) return <EmptyState icon={SearchX} title={t("ui.list.noMatch")} text={t("ui.tags.noMatchText")} />;
    return (
      <>
        <ul ref={list} aria-label={t("ui.settings.sections.tags")} className="border-t border-line">
          {found.slice(0, most).map((tag) => (
            <Row
              key={tag.tag}
              tag={tag}
              isSelected={selected.includes(tag.tag)}
              onSelect={(is) => setSelected((before) => (is ? [...before, tag.tag] : before.filter((other) => other !== tag.tag)))}
              onRename={() => setAsked({ what: "rename", tag })}
              onRemove={() => setAsked({ what: "remove", tag })}
            />
          ))}
        </ul>
        {found.length > most && (
          <MoreRows
            label={t("ui.tags.more", { total: formatNumber(found.length - most) })}
            busy={false}
            onMore={() => setMost(most + rowsAtOnce)}
          />
        )}
      </>
    );
  };
  const removed = asked?.what === "remove" ? asked.tag : undefined;
  return (
    <Card flush title={t("ui.settings.sections.tags")} subtitle={t("ui.tags.lead")} className="sm:[&>header]:px-6">
      {tags.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 px-5 pb-4 sm:px-6">
          <SearchField label={t("ui.tags.search")} value={words} onChange={setWords} className="w-full sm:w-60" />
          {chosen.length > 0 && (
            <p aria-live="polite" className="text-sm tabular-nums">
              {t("ui.list.bulk.selected", { count: chosen.length, total: formatNumber(chosen.length) })}
            </p>
          )}
          {chosen.length > 1 && (
            <Button size="sm" icon={Merge} onClick={() => setAsked({ what: "merge" })}>
              {t("ui.tags.mergeSelected")}
            </Button>
          )}
        </div>
      )}
      <LastChange />
      {content()}
      {asked?.what === "rename" && (
        <RenameDialog tag={asked.tag} tags={tags} onBegun={(to) => setAwaited({ to, gone: [asked.tag.tag] })} onClose={close} />
      )}
      {asked?.what === "merge" && (
        <MergeDialog
          tags={chosen}
          onBegun={(to) => {
            setSelected([]);
            setAwaited({ to, gone: chosen.map(({ tag }) => tag).filter((tag) => tag !== to) });
          }}
          onClose={close}
        />
      )}
      <ConfirmDialog
        title={t("ui.tags.removeTitle", { tag: removed?.tag ?? "" })}
        text={t("ui.tags.removeText", { count: removed?.records ?? 0, total: formatNumber(removed?.records ?? 0) })}
        confirm={t("ui.tags.remove")}
        isOpen={removed !== undefined}
        onOpenChange={(isOpen) => !isOpen && close()}
        onConfirm={() => removed && remove(removed)}
      />
    </Card>
  );
}
