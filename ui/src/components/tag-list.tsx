import { formatNumber } from "@/lib/format";
import { Tag } from "./tag";

/** The first few tags, and the number of the others. */
export function TagList({ tags, max = 2 }: { tags: string[]; max?: number }) {
  const rest = tags.length - max;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1">
      {tags.slice(0, max).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {rest > 0 && (
        <span className="text-xs text-muted tabular-nums" title={tags.slice(max).join(", ")}>
          {formatNumber(rest, { signDisplay: "always" })}
        </span>
      )}
    </span>
  );
}
