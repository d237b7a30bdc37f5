import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Ellipsis, FilePlus2, Pencil, Printer, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate, useParams, useSearchParams } from "react-router";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Html } from "@/components/html";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { Sentence, slot } from "@/components/sentence";
import { Skeleton } from "@/components/skeleton";
import { StatusPill } from "@/components/status-pill";
import { useMay } from "@/features/account/data";
import { useMayDelete } from "@/features/account/may-delete";
import { RecordMissing, RecordMovedNote } from "@/features/records/record-missing";
import { RecordParts } from "@/features/records/record-parts";
import { useMembers } from "@/features/team/data";
import { Person } from "@/features/team/person";
import { ago, longDate } from "@/lib/format";
import { editState, useEditKey } from "@/lib/keys";
import { flag, readSearchParams } from "@/lib/search-params";
import { isGone, recordQuery } from "@/records/data";
import { useIsRemoved } from "@/records/removed";
import { useRemove } from "@/records/use-remove";
import { useTitle } from "@/shell/use-title";
import { pagesQuery, usePatchPage } from "./data";
import { PageEditor } from "./page-editor";
import { PageVisibility } from "./page-visibility";
import { ancestors } from "./tree";
import { useNewPage } from "./use-new-page";

/** Between two facts. */
const separator = "·";

function Shown({ id }: { id: string }) {
  const { t } = useTranslation();
  const { find } = useMembers();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const { data: pages = [] } = useQuery(pagesQuery);
  const remove = useRemove("page");
  const { data, error, refetch } = useQuery({ ...recordQuery("page", id), enabled: !useIsRemoved(id) });
  const mayWrite = useMay("pages.write");
  const mayDelete = useMayDelete("page");
  const { make } = useNewPage();
  const { mutateAsync: patchPage } = usePatchPage();
  const [asking, setAsking] = useState(false);
  const isAsked = useLocation().state === editState;
  const editing = mayWrite && (isAsked || readSearchParams(search, { edit: flag }).edit === true);
  // A page that a colleague deleted is gone, whatever was read before; what is being typed in it stays.
  const page = isGone(error) && !editing ? undefined : data;
  const article = useRef<HTMLElement>(null);
  // Replaced when it ends, too, so that Back leads where the reader came from.
  const edit = () => setSearch({ edit: "1" }, { replace: true });
  useEditKey(mayWrite && page && !editing ? edit : undefined, article);
  useTitle(page?.title ?? t("ui.pages.title"));

  const above = ancestors(pages, id);
  const back = above.at(-1);
  const crumbs = (
    <nav aria-label={t("ui.pages.path")} className="no-print mb-3 flex min-h-8 items-center gap-1 text-sm text-muted">
      <Link to="/pages" className="inline-flex shrink-0 items-center gap-1 rounded hover:text-ink hover:underline">
        <ChevronLeft aria-hidden size={16} className="md:hidden" />
        {t("ui.pages.title")}
      </Link>
      {above.map((one) => (
        <span key={one.id} className="flex min-w-0 items-center gap-1 max-md:hidden">
          <ChevronRight aria-hidden size={14} />
          <Link to={`/pages/${one.id}`} dir="auto" className="truncate rounded hover:text-ink hover:underline">
            {one.title}
          </Link>
        </span>
      ))}
      {back && (
        <Link to={`/pages/${back.id}`} dir="auto" className="ml-2 truncate rounded hover:underline md:hidden">
          {back.title}
        </Link>
      )}
    </nav>
  );

  if (!page) {
    return (
      <>
        {crumbs}
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-card sm:p-10">
          {error ? (
            <RecordMissing
              kind="page"
              id={id}
              title={data?.title}
              error={error}
              wasShown={data !== undefined}
              onRetry={() => void refetch()}
            />
          ) : (
            <div aria-busy className="grid gap-4">
              <Skeleton className="h-9 w-1/2" />
              <Skeleton className="h-5" />
              <Skeleton className="h-5" />
              <Skeleton className="h-5 w-4/5" />
            </div>
          )}
        </div>
      </>
    );
  }
  if (editing) {
    return (
      <>
        {crumbs}
        {isGone(error) && <RecordMovedNote kind="page" id={id} title={page.title} error={error} />}
        <PageEditor page={page} pages={pages} onDone={() => setSearch({}, { replace: true })} />
      </>
    );
  }
  // Subpages would move: that is more than the page itself.
  const hasChildren = pages.some((one) => one.parentId === id);
  const removePage = () => {
    const place = back ? `/pages/${back.id}` : "/pages";
    remove.mutate({ id, title: page.title }, { onSuccess: () => void navigate(place, { replace: true }) });
  };
  // The server does not tell who updated a page last.
  const isAuthorKnown = find(page.createdBy) !== undefined;
  return (
    <>
      {crumbs}
      <article ref={article} className="rounded-2xl border border-line bg-surface shadow-card">
        <div className="mx-auto max-w-3xl px-5 pt-7 pb-12 sm:px-8 sm:pt-9">
          <header className="mb-7 flex items-start gap-3 max-sm:flex-col-reverse">
            <div className="min-w-0 flex-1">
              <h1
                tabIndex={-1}
                dir="auto"
                className="outline-none text-[26px] leading-8 font-title tracking-[-.025em] text-ink [overflow-wrap:anywhere] sm:text-[32px] sm:leading-10"
              >
                {page.title || t("ui.pages.untitled")}
              </h1>
              <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-muted">
                {page.status === "draft" && <StatusPill tone="off">{t("ui.pages.statuses.draft")}</StatusPill>}
                {isAuthorKnown && (
                  <>
                    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
                      <Sentence
                        text={t("ui.pages.createdBy", { name: slot("name") })}
                        slots={{ name: <Person id={page.createdBy} size={20} /> }}
                      />
                    </span>
                    <span aria-hidden>{separator}</span>
                  </>
                )}
                <time dateTime={page.updatedAt} title={longDate(page.updatedAt)}>
                  {t("ui.pages.changed", { ago: ago(page.updatedAt) })}
                </time>
                <PageVisibility
                  page={page}
                  pages={pages}
                  onSave={(visibility) => patchPage({ id, version: page.version, patch: { visibility } })}
                />
              </p>
            </div>
            <div className="no-print flex shrink-0 gap-1 max-sm:-mt-2 max-sm:self-end">
              {mayWrite && (
                <Button data-refocus size="sm" icon={Pencil} onClick={edit}>
                  <span className="max-sm:sr-only">{t("ui.action.edit")}</span>
                </Button>
              )}
              <MenuButton button={(attributes) => <IconButton label={t("ui.action.more")} icon={Ellipsis} size="sm" {...attributes} />}>
                <Menu aria-label={t("ui.action.more")}>
                  {mayWrite && (
                    <MenuItem icon={<FilePlus2 aria-hidden size={16} />} onAction={() => make(page.id)}>
                      {t("ui.pages.addBelow")}
                    </MenuItem>
                  )}
                  <MenuItem icon={<Printer aria-hidden size={16} />} onAction={() => window.print()}>
                    {t("ui.pages.print")}
                  </MenuItem>
                  {mayDelete(page) && (
                    <MenuItem
                      danger
                      icon={<Trash2 aria-hidden size={16} />}
                      onAction={() => (hasChildren ? setAsking(true) : removePage())}
                    >
                      {t("ui.action.delete")}
                    </MenuItem>
                  )}
                </Menu>
              </MenuButton>
            </div>
          </header>
          {page.body ? (
            <Html html={page.body} rich className="prose text-[15px] leading-7" />
          ) : (
            <p className="text-muted">{mayWrite ? t("ui.pages.blank") : t("ui.pages.blankReader")}</p>
          )}
        </div>
      </article>
      <div className="no-print mt-4 rounded-2xl border border-line bg-surface shadow-card">
        <RecordParts kind="page" record={page} className="mx-auto max-w-3xl px-5 pt-2 sm:px-8 [&>:first-child]:border-0" />
      </div>
      <ConfirmDialog
        title={t("ui.pages.deleteTitle", { title: page.title })}
        text={t("ui.pages.deleteTextBelow")}
        confirm={t("ui.action.delete")}
        isOpen={asking}
        onOpenChange={setAsking}
        onConfirm={removePage}
      />
    </>
  );
}

/** One page, to read or, with permission, to edit. */
export function PageView() {
  const { id = "" } = useParams();
  return <Shown key={id} id={id} />;
}
