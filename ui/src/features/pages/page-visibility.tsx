import { useTranslation } from "react-i18next";
import type { KnowledgePage, Visibility } from "@/api/schema";
import { useVisibilityText, VisibilityButton } from "@/features/record-parts/visibility";
import { useMayHide } from "./data";

export interface PageVisibilityProps {
  page: KnowledgePage;
  pages: KnowledgePage[];
  onSave: (value: Visibility) => Promise<unknown>;
}

/** Shows who can see a page, and lets its author and administrators change it. */
export function PageVisibility({ page, pages, onSave }: PageVisibilityProps) {
  const { t } = useTranslation();
  const mayChange = useMayHide(page);
  const stateOf = usePageState();
  const { visibility, createdBy, limited, status } = page;
  const notes = [
    ...(status === "draft" ? [t("ui.pages.draftText")] : []),
    ...(limited ? [t("ui.pages.limitedText")] : []),
    ...(pages.some(({ parentId }) => parentId === page.id) ? [t("ui.pages.subpagesFollow")] : []),
  ];
  return (
    <VisibilityButton value={visibility} author={createdBy} mayChange={mayChange} state={stateOf(page)} notes={notes} onSave={onSave} />
  );
}

/** What is said of a page instead of its own visibility: that it is a draft, or that pages above it limit who sees it. */
export function usePageState(): (page: KnowledgePage) => string | undefined {
  const { t } = useTranslation();
  const visibilityText = useVisibilityText();
  return ({ status, limited, visibility, createdBy }) => {
    if (status === "draft") return visibilityText({ to: "me", people: [] }, createdBy);
    return limited && visibility.to === "company" ? t("ui.pages.limited") : undefined;
  };
}

/** Whether not all colleagues can see a published page. */
export const isRestricted = ({ visibility, limited }: KnowledgePage) => limited || visibility.to !== "company";
