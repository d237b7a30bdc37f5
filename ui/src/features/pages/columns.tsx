import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { KnowledgePage } from "@/api/schema";
import { StatusPill } from "@/components/status-pill";
import { commonColumns } from "@/features/lists/common-columns";
import { useVisibilityText, VisibilityInput } from "@/features/record-parts/visibility";
import type { ListColumn } from "@/records/list/columns";
import { pagesQuery } from "./data";
import { usePageState } from "./page-visibility";

const statuses = ["draft", "published"] as const;

/** The columns of the list of pages. */
export function usePageColumns(): ListColumn<KnowledgePage>[] {
  const { t } = useTranslation();
  const visibilityText = useVisibilityText();
  const stateOf = usePageState();
  const { data: pages = [] } = useQuery(pagesQuery);
  return [
    { id: "title", label: t("ui.pages.titleField"), type: "text" },
    {
      id: "status",
      label: t("ui.pages.status"),
      type: "choice",
      choices: statuses.map((key) => ({ key, name: t(`ui.pages.statuses.${key}`) })),
      usual: true,
      quick: true,
      inBulk: "required",
      cell: ({ status }) => <StatusPill tone={status === "draft" ? "off" : "ok"}>{t(`ui.pages.statuses.${status}`)}</StatusPill>,
    },
    {
      id: "visibility",
      label: t("ui.visibility.title"),
      type: "choice",
      choices: [
        { key: "company", name: t("ui.visibility.everyone") },
        { key: "people", name: t("ui.visibility.chosen") },
        { key: "me", name: t("ui.visibility.onlyAuthor") },
      ],
      usual: true,
      quick: true,
      inBulk: "required",
      bulkInput: (onChange) => <VisibilityInput onChange={onChange} />,
      className: "whitespace-nowrap",
      narrow: "@max-[760px]:hidden",
      cell: (one) => stateOf(one) ?? visibilityText(one.visibility, one.createdBy),
    },
    {
      id: "parentId",
      label: t("ui.pages.below"),
      type: "record",
      target: "page",
      usual: true,
      inBulk: "optional",
      className: "max-w-60",
      narrow: "@max-[900px]:hidden",
      cell: ({ parentId }) => {
        const parent = parentId && pages.find(({ id }) => id === parentId);
        return (
          parent && (
            <Link to={`/pages/${parent.id}`} dir="auto" className="relative z-1 block truncate hover:underline">
              {parent.title || t("ui.pages.untitled")}
            </Link>
          )
        );
      },
    },
    { ...commonColumns<KnowledgePage>(t).createdBy, usual: true, quick: true, narrow: "@max-[1100px]:hidden" },
  ];
}
