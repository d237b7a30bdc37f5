import { useContext } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { cx } from "@/lib/cx";
import { type CreatedKind, pathOfKind } from "@/records/kinds";
import { formatFilter } from "@/records/list/filters";
import { TagFilterContext, useTags } from "@/records/tags";
import { Tag, tagClass, tagStyle } from "./tag";

/** Returns the address of the list of a kind, filtered by a tag. */
export const tagPath = (kind: CreatedKind, tag: string) =>
  `${pathOfKind(kind)}?filter=${encodeURIComponent(formatFilter({ column: "tags", operator: "is", values: [tag] }))}`;

const linkClass = cx(
  tagClass,
  "fingertip relative z-1 pointer-coarse:h-8 pointer-coarse:min-w-9 pointer-coarse:justify-center hover:border-line-strong hover:text-ink hover:underline",
);

/** A tag of a record with its colour. A press filters the list by it, or leads to the list of the kind, filtered by it. */
export function TagLink({ kind, tag }: { kind: CreatedKind; tag: string }) {
  const { t } = useTranslation();
  const { colourOf } = useTags();
  const filter = useContext(TagFilterContext);
  const style = tagStyle(colourOf(tag));
  const name = (
    <span dir="auto" className="truncate">
      {tag}
    </span>
  );
  const label = t("ui.tags.filterBy", { tag });
  return filter ? (
    <button type="button" title={label} className={linkClass} style={style} onClick={() => filter(tag)}>
      {name}
    </button>
  ) : (
    <Link to={tagPath(kind, tag)} title={label} className={linkClass} style={style}>
      {name}
    </Link>
  );
}

/** A tag of a record with its colour. */
export function TagText({ tag }: { tag: string }) {
  const { colourOf } = useTags();
  return <Tag colour={colourOf(tag)}>{tag}</Tag>;
}
