import { ChevronRight, Lock } from "lucide-react";
import { useEffect, useState } from "react";
import { Button as RootButton } from "react-aria-components/Button";
import { Tree, TreeItem, TreeItemContent } from "react-aria-components/Tree";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { KnowledgePage } from "@/api/schema";
import { cx } from "@/lib/cx";
import { useSingleKeys } from "@/lib/keys";
import { PageIcon } from "./page-icon";
import { isRestricted } from "./page-visibility";
import { ancestors, type PageNode, toTree } from "./tree";

/** Scrolls the tree to the current page once it is drawn. */
const show = (row: HTMLElement | null) => row?.scrollIntoView?.({ block: "nearest" });

/** The tree of all pages; the branch of the current page is open. */
export function PageTree({ pages, current }: { pages: KnowledgePage[]; current: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const singleKeys = useSingleKeys(({ on }) => on);
  const tree = toTree(pages);
  const [expanded, setExpanded] = useState<Set<string | number>>(() => new Set(tree.map(({ page }) => page.id)));
  useEffect(() => {
    if (!current) return;
    setExpanded((before) => {
      const above = ancestors(pages, current).map(({ id }) => id);
      return above.every((id) => before.has(id)) ? before : new Set([...before, ...above]);
    });
  }, [pages, current]);

  const draw = ({ page, children }: PageNode, depth: number): React.ReactNode => (
    <TreeItem
      key={page.id}
      id={page.id}
      data-row
      textValue={page.title}
      onAction={() => void navigate(`/pages/${page.id}`)}
      className={cx(
        "cursor-pointer rounded-lg focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary",
        page.id === current ? "bg-tint font-medium text-on-tint" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      <TreeItemContent>
        {({ hasChildItems, isExpanded }) => (
          <div className="flex min-h-9 items-center gap-1.5 pr-2.5" style={{ paddingLeft: 4 + depth * 16 }}>
            {hasChildItems ? (
              <RootButton
                slot="chevron"
                className="fingertip relative grid size-6 shrink-0 cursor-pointer place-items-center rounded-md text-muted hover:bg-gray-200/70 focus-visible:outline-2 focus-visible:outline-primary"
              >
                <ChevronRight aria-hidden size={14} className={cx("transition-transform duration-150", isExpanded && "rotate-90")} />
              </RootButton>
            ) : (
              <span className="w-6 shrink-0" />
            )}
            <PageIcon icon={page.icon} size={16} />
            <span
              dir="auto"
              ref={page.id === current ? show : undefined}
              aria-current={page.id === current ? "page" : undefined}
              className="min-w-0 flex-1 truncate"
            >
              {page.title || t("ui.pages.untitled")}
            </span>
            {page.status === "published" && isRestricted(page) && (
              <Lock role="img" aria-label={t("ui.visibility.restricted")} size={13} className="shrink-0 text-muted" />
            )}
            {page.status === "draft" && <span className="shrink-0 text-2xs text-muted">{t("ui.pages.statuses.draft")}</span>}
          </div>
        )}
      </TreeItemContent>
      {children.map((child) => draw(child, depth + 1))}
    </TreeItem>
  );
  // Without shortcuts, a key leads to the next page that begins with it. The types lack the property.
  const typing = { disallowTypeAhead: singleKeys };
  return (
    <Tree
      {...typing}
      aria-label={t("ui.pages.title")}
      selectionMode="none"
      expandedKeys={expanded}
      onExpandedChange={setExpanded}
      dependencies={[current, pages]}
      className="outline-none"
    >
      {tree.map((node) => draw(node, 0))}
    </Tree>
  );
}
