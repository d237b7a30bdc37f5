import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldError } from "@/api/errors";
import type { KnowledgePage, PagePatch } from "@/api/schema";
import { Button } from "@/components/button";
import { isSameHtml } from "@/components/html";
import { LazyRichEditor } from "@/components/lazy-rich-editor";
import { SaveFailure } from "@/components/save-failure";
import { SaveNote } from "@/components/save-note";
import { Segmented } from "@/components/segmented";
import { Select } from "@/components/select";
import { useUser } from "@/features/account/data";
import { useVisibilityText } from "@/features/record-parts/visibility";
import { EditorsNote } from "@/features/records/editors-note";
import { RecordConflict } from "@/features/records/record-conflict";
import { useTitleKept } from "@/features/records/use-title-kept";
import { isSaveKey } from "@/lib/save-key";
import { toast } from "@/lib/toast";
import { isSameValue } from "@/records/conflicts";
import { recordQuery } from "@/records/data";
import { useVersionedAutosave } from "@/records/use-versioned-autosave";
import { useMayHide, usePatchPage } from "./data";
import { isRestricted, PageVisibility } from "./page-visibility";
import { places } from "./tree";

const top = "top";

export interface PageEditorProps {
  page: KnowledgePage;
  pages: KnowledgePage[];
  onDone: () => void;
}

/** The editor of a page, which saves automatically and shows the state. */
export function PageEditor({ page, pages, onDone }: PageEditorProps) {
  const { t } = useTranslation();
  const visibilityText = useVisibilityText();
  const client = useQueryClient();
  const { mutateAsync } = usePatchPage();
  const user = useUser();
  const [shown, setShown] = useState(page);
  const [title, setTitle] = useState(page.title);
  const [round, setRound] = useState(0);
  const editor = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const saving = useVersionedAutosave<KnowledgePage, PagePatch>({
    kind: "page",
    record: page,
    member: user.id,
    name: `page.${page.id}`,
    send: async (patch, version) => {
      const saved = await mutateAsync({ id: page.id, version, patch });
      const isMoved = patch.parentId !== undefined && page.limited;
      if (isMoved && saved.status === "published" && !isRestricted(saved)) {
        toast.info(t("ui.pages.nowForAll", { title: saved.title || t("ui.pages.untitled") }));
      }
      return saved;
    },
    read: () => client.fetchQuery({ ...recordQuery("page", page.id), staleTime: 0 }),
    adopt: (record, patch) => {
      const next = { ...record, ...patch } as KnowledgePage;
      // The editor holds its own text: it restarts only with a different one.
      if ((next.body ?? "") !== (shown.body ?? "")) setRound((before) => before + 1);
      setShown(next);
      setTitle(next.title);
    },
    isSame: (a, b) => (typeof a === "string" && typeof b === "string" ? isSameHtml(a, b) : isSameValue(a, b)),
    // An editor that restarts would lose the caret's position.
    holds: () => editor.current?.contains(document.activeElement) ?? false,
    delay: 800,
  });
  const { state, error, flush } = saving;
  const change = (patch: PagePatch, now = false) => {
    setShown((before) => ({ ...before, ...patch }) as KnowledgePage);
    saving.change(patch, now);
  };
  const { status, parentId } = shown;
  const mayHide = useMayHide(page);
  const fresh = page.title === t("ui.pages.newTitle") && !page.body;
  useEffect(() => {
    if (fresh) field.current?.select();
  }, [fresh]);
  useEffect(() => {
    // By the key, nothing may have had the focus; letters would be shortcuts.
    if (document.activeElement === document.body) field.current?.focus({ preventScroll: true });
  }, []);

  const isTitleEmpty = title.trim() === "";
  useTitleKept(page.id, page.title, isTitleEmpty);
  const missing = isTitleEmpty ? t("ui.form.required") : fieldError(error, "title");

  const finish = async () => {
    if (missing) return field.current?.focus();
    await flush();
    if (!saving.isDirty()) onDone();
  };

  return (
    <div
      className="rounded-2xl border border-line bg-surface shadow-card"
      // Before the editor, which would begin a new line.
      onKeyDownCapture={(event) => {
        if (!isSaveKey(event)) return;
        event.preventDefault();
        event.stopPropagation();
        void finish();
      }}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5 border-b border-line px-4 py-3 sm:px-6">
        {mayHide && (
          <Segmented
            label={t("ui.pages.status")}
            value={status}
            onChange={(value) => change({ status: value }, true)}
            options={[
              { value: "draft", label: t("ui.pages.statuses.draft") },
              { value: "published", label: t("ui.pages.statuses.published") },
            ]}
          />
        )}
        <Select
          label={t("ui.pages.below")}
          hideLabel
          size="sm"
          className="w-52 max-w-full"
          value={parentId ?? top}
          onChange={(value) => change({ parentId: value === top ? null : value }, true)}
          options={[
            { value: top, label: t("ui.pages.atTop") },
            ...places(pages, page.id).map(({ page: place, depth }) => ({
              value: place.id,
              label: place.title || t("ui.pages.untitled"),
              icon: <span aria-hidden style={{ width: depth * 12 }} />,
            })),
          ]}
        />
        <PageVisibility
          page={shown}
          pages={pages}
          onSave={(visibility) => {
            change({ visibility }, true);
            return Promise.resolve();
          }}
        />
        <span className="ml-auto flex items-center gap-4">
          <SaveNote state={state} isUnsaved={isTitleEmpty} onRetry={() => void flush()} />
          <Button size="sm" variant="primary" onClick={() => void finish()}>
            {t("ui.action.done")}
          </Button>
        </span>
      </div>
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-10 sm:px-8 sm:pt-8">
        <EditorsNote kind="page" recordId={page.id} className="mb-5" />
        {state === "failed" && <SaveFailure error={error} onCompare={() => void flush()} className="mb-5" />}
        <textarea
          ref={field}
          data-refocus
          aria-label={t("ui.pages.titleField")}
          aria-invalid={missing ? true : undefined}
          rows={1}
          maxLength={200}
          dir="auto"
          value={title}
          placeholder={t("ui.pages.untitled")}
          enterKeyHint="next"
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            editor.current?.querySelector<HTMLElement>("[contenteditable=true]")?.focus();
          }}
          onChange={(event) => {
            const next = event.target.value.replaceAll("\n", " ");
            setTitle(next);
            if (next.trim()) change({ title: next.trim() });
          }}
          className="mb-4 field-sizing-content block w-full resize-none rounded-lg bg-transparent text-[26px] leading-8 sm:text-[32px] sm:leading-10 font-title tracking-[-.025em] text-ink outline-none placeholder:text-gray-400"
        />
        {missing && (
          <p role="alert" className="-mt-2 mb-4 text-sm text-bad">
            {missing}
          </p>
        )}
        <div ref={editor}>
          <LazyRichEditor
            key={round}
            bare
            label={t("ui.pages.body")}
            placeholder={t("ui.pages.bodyPlaceholder")}
            value={shown.body ?? ""}
            onChange={(html) => change({ body: html })}
            className="text-[15px] leading-7"
          />
        </div>
        {fieldError(error, "body") && <p className="mt-2 text-sm text-bad">{fieldError(error, "body")}</p>}
      </div>
      {saving.conflict && (
        <RecordConflict
          {...saving.conflict}
          kind="page"
          recordId={page.id}
          mine={shown}
          views={{ visibility: { show: ({ visibility }) => visibilityText(visibility, page.createdBy) } }}
          // A page without a text has an empty one.
          onChoose={(_page, changes) => saving.choose({ ...changes, ...(changes.body === null && { body: "" }) } as PagePatch)}
          onClose={saving.close}
        />
      )}
    </div>
  );
}
