import type { ParseKeys } from "i18next";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button as RootButton } from "react-aria-components/Button";
import { Tree, TreeItem, TreeItemContent } from "react-aria-components/Tree";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { Icon } from "@/components/icon";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SlotCheckbox } from "@/components/slot-checkbox";
import { Tag } from "@/components/tag";
import { cx } from "@/lib/cx";
import { useTitle } from "@/shell/use-title";
import { nodes, preselected } from "./nodes";
import { checkState, fromKeys, selectedNodes, type TreeNode, toggle } from "./selection";

const branches = (list: TreeNode[]): string[] => list.flatMap((node) => (node.children ? [node.key, ...branches(node.children)] : []));
const all = new Map<string, TreeNode>();
const index = (list: TreeNode[]) => {
  for (const node of list) {
    all.set(node.key, node);
    index(node.children ?? []);
  }
};
index(nodes);

/** A tree with checkboxes: leaves are selected, branches show whether all, some or none of theirs are. */
export function TestTreePage() {
  const { t } = useTranslation();
  const words = (label: string) => t(label as ParseKeys);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => fromKeys(nodes, preselected));
  const [expanded, setExpanded] = useState<Set<string | number>>(() => new Set(branches(nodes)));
  useTitle(t("ui.test.title"));

  const flip = (key: string) => {
    const node = all.get(key);
    if (node) setChosen(toggle(node, chosen));
  };
  const draw = (node: TreeNode, depth: number): React.ReactNode => {
    const state = checkState(node, chosen);
    const label = words(node.label);
    return (
      <TreeItem
        key={node.key}
        id={node.key}
        textValue={label}
        aria-checked={state === "some" ? "mixed" : state === "all"}
        onAction={() => flip(node.key)}
        className="cursor-pointer rounded-lg hover:bg-hover focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary"
      >
        <TreeItemContent>
          {({ hasChildItems, isExpanded }) => (
            <div className="flex min-h-10 items-center gap-2.5 pr-3" style={{ paddingLeft: 8 + depth * 24 }}>
              {hasChildItems ? (
                <RootButton
                  slot="chevron"
                  className="grid size-7 cursor-pointer place-items-center rounded-md text-muted hover:bg-gray-200 focus-visible:outline-2 focus-visible:outline-primary"
                >
                  <ChevronRight aria-hidden size={16} className={cx("transition-transform duration-150", isExpanded && "rotate-90")} />
                </RootButton>
              ) : (
                <span className="w-7" />
              )}
              <SlotCheckbox isSelected={state === "all"} isIndeterminate={state === "some"} onChange={() => flip(node.key)} label={label} />
              <Icon name={node.icon} size={18} className="text-muted" />
              <span className="truncate">{label}</span>
            </div>
          )}
        </TreeItemContent>
        {node.children?.map((child) => draw(child, depth + 1))}
      </TreeItem>
    );
  };

  const selected = selectedNodes(nodes, chosen);
  return (
    <Page>
      <PageHead
        title={t("ui.test.title")}
        lead={t("ui.test.lead")}
        actions={
          <>
            <Button size="sm" onClick={() => setExpanded(new Set(branches(nodes)))}>
              {t("ui.test.expandAll")}
            </Button>
            <Button size="sm" onClick={() => setExpanded(new Set())}>
              {t("ui.test.collapseAll")}
            </Button>
          </>
        }
      />
      <div className="grid items-start gap-4 md:grid-cols-[2fr_1fr]">
        <Card className="!p-2">
          <Tree
            aria-label={t("ui.test.tree")}
            expandedKeys={expanded}
            onExpandedChange={setExpanded}
            dependencies={[chosen, t]}
            className="outline-none"
          >
            {nodes.map((node) => draw(node, 0))}
          </Tree>
        </Card>
        <Card title={t("ui.test.selected")}>
          {selected.length > 0 ? (
            <div className="flex flex-wrap gap-1.5">
              {selected.map((node) => (
                <Tag key={node.key}>{words(node.label)}</Tag>
              ))}
            </div>
          ) : (
            <p className="text-muted">{t("ui.test.none")}</p>
          )}
        </Card>
      </div>
    </Page>
  );
}
