import { useTranslation } from "react-i18next";
import type { KnowledgePage, PagePatch } from "@/api/schema";
import { Html } from "@/components/html";
import { useVisibilityText } from "@/features/record-parts/visibility";
import { PatchConflict, type PatchConflictProps } from "@/features/team/patch-conflict";
import type { ConflictField } from "@/records/conflicts";

interface PageConflictProps extends PatchConflictProps<KnowledgePage, PagePatch> {
  pages: KnowledgePage[];
}

/** Both versions of a page that two members edited. */
export function PageConflict({ pages, ...props }: PageConflictProps) {
  const { t } = useTranslation();
  const visibilityText = useVisibilityText();
  const fields: (ConflictField<KnowledgePage> & { names: readonly (keyof PagePatch)[] })[] = [
    { names: ["title"], label: t("ui.pages.titleField"), show: ({ title }) => title },
    { names: ["status"], label: t("ui.pages.status"), show: ({ status }) => t(`ui.pages.statuses.${status}`) },
    {
      names: ["parentId"],
      label: t("ui.pages.below"),
      show: ({ parentId }) => (parentId ? (pages.find(({ id }) => id === parentId)?.title ?? "") : t("ui.pages.atTop")),
    },
    {
      names: ["visibility"],
      label: t("ui.visibility.title"),
      show: ({ visibility, createdBy }) => visibilityText(visibility, createdBy),
    },
    { names: ["body"], label: t("ui.pages.body"), show: ({ body }) => body && <Html html={body} rich className="prose text-sm" /> },
  ];
  return <PatchConflict kind="page" fields={fields} empty={(name) => (name === "parentId" ? null : "")} {...props} />;
}
