import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText, fieldError } from "@/api/errors";
import type { KnowledgePage } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { LateRichEditor } from "@/components/late-rich-editor";
import { SaveNote } from "@/components/save-note";
import { Segmented } from "@/components/segmented";
import { Select } from "@/components/select";
import { useAutosave } from "@/lib/use-autosave";
import { type PagePatch, pageQuery, usePatchPage } from "./data";
import { places } from "./tree";

const top = "top";

export interface PageEditorProps {
  page: KnowledgePage;
  pages: KnowledgePage[];
  onDone: () => void;
}

/** A page being written: it saves itself, and says so. */
export function PageEditor({ page, pages, onDone }: PageEditorProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { mutateAsync } = usePatchPage();
  const version = useRef<number | undefined>(page.version);
  const [title, setTitle] = useState(page.title);
  const [status, setStatus] = useState(page.status);
  const [parentId, setParentId] = useState(page.parentId);
  const [body, setBody] = useState(page.body ?? "");
  const [round, setRound] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const { state, error, change, flush, drop } = useAutosave<PagePatch>(async (patch) => {
    const saved = await mutateAsync({ id: page.id, version: version.current, patch });
    version.current = saved.version;
  }, 800);
  const fresh = page.title === t("ui.pages.newTitle") && !page.body;
  useEffect(() => {
    if (fresh) field.current?.select();
  }, [fresh]);

  const stale = error instanceof ApiError && error.code === "stale_version";
  const loadTheirs = async () => {
    drop();
    const latest = await client.fetchQuery({ ...pageQuery(page.id), staleTime: 0 });
    version.current = latest.version;
    setTitle(latest.title);
    setStatus(latest.status);
    setParentId(latest.parentId);
    setBody(latest.body ?? "");
    setRound((before) => before + 1);
  };
  const keepMine = () => {
    version.current = undefined;
    void flush();
  };
  const missing = title.trim() === "" ? t("ui.form.required") : fieldError(error, "title");

  return (
    <div className="rounded-2xl border border-line bg-surface shadow-card">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5 border-b border-line px-4 py-3 sm:px-6">
        <Segmented
          label={t("ui.pages.status")}
          value={status}
          onChange={(value) => {
            setStatus(value);
            change({ status: value }, true);
          }}
          options={[
            { value: "draft", label: t("ui.pages.statuses.draft") },
            { value: "published", label: t("ui.pages.statuses.published") },
          ]}
        />
        <Select
          label={t("ui.pages.below")}
          hideLabel
          size="sm"
          className="w-52 max-w-full"
          value={parentId ?? top}
          onChange={(value) => {
            setParentId(value === top ? undefined : value);
            change({ parentId: value === top ? null : value }, true);
          }}
          options={[
            { value: top, label: t("ui.pages.atTop") },
            ...places(pages, page.id).map(({ page: place, depth }) => ({
              value: place.id,
              label: place.title || t("ui.pages.untitled"),
              icon: <span aria-hidden style={{ width: depth * 12 }} />,
            })),
          ]}
        />
        <span className="ml-auto flex items-center gap-4">
          <SaveNote state={state} onRetry={() => void flush()} />
          <Button
            size="sm"
            variant="primary"
            onClick={() =>
              void flush().then(() => {
                if (!missing) onDone();
              })
            }
          >
            {t("ui.action.done")}
          </Button>
        </span>
      </div>
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-10 sm:px-8 sm:pt-8">
        {state === "failed" && (
          <Alert kind="error" className="mb-5">
            <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              {stale ? t("ui.pages.stale") : errorText(error)}
              {stale && (
                <span className="flex gap-2">
                  <Button size="sm" onClick={() => void loadTheirs()}>
                    {t("ui.pages.loadTheirs")}
                  </Button>
                  <Button size="sm" onClick={keepMine}>
                    {t("ui.pages.keepMine")}
                  </Button>
                </span>
              )}
            </span>
          </Alert>
        )}
        <textarea
          ref={field}
          aria-label={t("ui.pages.titleField")}
          aria-invalid={missing ? true : undefined}
          rows={1}
          maxLength={200}
          dir="auto"
          value={title}
          placeholder={t("ui.pages.untitled")}
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
        <LateRichEditor
          key={round}
          bare
          label={t("ui.pages.body")}
          placeholder={t("ui.pages.bodyPlaceholder")}
          value={body}
          onChange={(html) => change({ body: html })}
          className="text-[15px] leading-7"
        />
        {fieldError(error, "body") && <p className="mt-2 text-sm text-bad">{fieldError(error, "body")}</p>}
      </div>
    </div>
  );
}
