import { formatNumber } from "@/lib/format";
import type { CreatedKind } from "@/records/kinds";
import { Tag } from "./tag";
import { TagLink, TagText } from "./tag-link";

interface TagListProps {
  tags: string[];
  /** The kind of the record whose tags they are; without it, they are other words. */
  kind?: CreatedKind;
  /** Whether a press does nothing, where the tags are inside of something that is pressed. */
  isStill?: boolean;
  max?: number;
}

/** The first few tags, and the number of the others. */
export function TagList({ tags, kind, isStill, max = 2 }: TagListProps) {
  const rest = tags.length - max;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1 pointer-coarse:gap-2">
      {tags.slice(0, max).map((tag) => {
        if (!kind) return <Tag key={tag}>{tag}</Tag>;
        return isStill ? <TagText key={tag} tag={tag} /> : <TagLink key={tag} kind={kind} tag={tag} />;
      })}
      {rest > 0 && (
        <span className="text-xs text-muted tabular-nums" title={tags.slice(max).join(", ")}>
          {formatNumber(rest, { signDisplay: "always" })}
        </span>
      )}
    </span>
  );
}
