import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { KnowledgePage, Visibility } from "@/api/schema";
import { VisibilityButton } from "@/features/record-parts/visibility";
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
  const { visibility, createdBy, limited, status } = page;
  const notes = [
    ...(status === "draft" ? [t("ui.pages.draftText")] : []),
    ...(limited ? [t("ui.pages.limitedText")] : []),
    ...(pages.some(({ parentId }) => parentId === page.id) ? [t("ui.pages.subpagesFollow")] : []),
  ];
  return (
    <VisibilityButton
      value={visibility}
      author={createdBy}
      mayChange={mayChange}
      state={visibilityState(page, t)}
      notes={notes}
      onSave={onSave}
    />
  );
}

/** What is said of a page instead of its own visibility: that pages above it limit who sees it. */
export const visibilityState = ({ limited, visibility }: KnowledgePage, t: TFunction): string | undefined =>
  limited && visibility.to === "company" ? t("ui.pages.limited") : undefined;

/** Whether not all colleagues can see a published page. */
export const isRestricted = ({ visibility, limited }: KnowledgePage) => limited || visibility.to !== "company";
