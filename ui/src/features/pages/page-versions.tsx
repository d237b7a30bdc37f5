import { useTranslation } from "react-i18next";
import type { KnowledgePage } from "@/api/schema";
import { Html } from "@/components/html";
import { VersionsDialog } from "@/components/versions-dialog";
import { useMembers } from "@/features/team/data";
import { changerOf } from "@/lib/editors";
import { same, type VersionField } from "@/lib/versions";
import type { PagePatch } from "./data";

interface PageVersionsProps {
  base: KnowledgePage;
  mine: KnowledgePage;
  theirs: KnowledgePage;
  pages: KnowledgePage[];
  /** The own changes that stay. */
  onChoose: (patch: PagePatch) => void;
  onClose: () => void;
}

/** Both versions of a page that two people wrote at. */
export function PageVersions({ base, mine, theirs, pages, onChoose, onClose }: PageVersionsProps) {
  const { t } = useTranslation();
  const { find } = useMembers();
  const fields: (VersionField<KnowledgePage> & { names: readonly (keyof PagePatch)[] })[] = [
    { names: ["title"], label: t("ui.pages.titleField"), show: ({ title }) => title },
    { names: ["status"], label: t("ui.pages.status"), show: ({ status }) => t(`ui.pages.statuses.${status}`) },
    {
      names: ["parentId"],
      label: t("ui.pages.below"),
      show: ({ parentId }) => (parentId ? (pages.find(({ id }) => id === parentId)?.title ?? "") : t("ui.pages.atTop")),
    },
    { names: ["body"], label: t("ui.pages.body"), show: ({ body }) => body && <Html html={body} rich className="prose text-sm" /> },
  ];
  const choose = (chosen: KnowledgePage) => {
    const names = fields.flatMap((field) => field.names).filter((name) => !same(chosen[name], theirs[name]));
    onChoose(Object.fromEntries(names.map((name) => [name, chosen[name] ?? (name === "parentId" ? null : "")])));
  };
  return (
    <VersionsDialog
      fields={fields}
      base={base}
      mine={mine}
      theirs={theirs}
      who={find(changerOf({ kind: "page", recordId: theirs.id }))?.name}
      onChoose={choose}
      onClose={onClose}
    />
  );
}
