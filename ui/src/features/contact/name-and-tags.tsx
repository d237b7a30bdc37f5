import { TagLink } from "@/components/tag-link";
import { EditableFact } from "@/features/records/editable-fact";
import type { CreatedKind } from "@/records/kinds";

/** The name of a record as its heading, edited where it stands. */
export function NameFact({ kind, name, input = "name" }: { kind: CreatedKind; name: string; input?: "name" | "title" }) {
  return (
    <EditableFact kind={kind} input={input} className="pointer-coarse:mb-1 pointer-coarse:[&>button]:-my-1.5">
      <h2 dir="auto" className="text-[24px] leading-8 font-title tracking-[-.022em] text-ink [overflow-wrap:anywhere]">
        {name}
      </h2>
    </EditableFact>
  );
}

/** The tags of a record below its heading, which lead to the list, and are edited where they stand; nothing without any. */
export function TagsFact({ kind, tags }: { kind: CreatedKind; tags: string[] }) {
  if (tags.length === 0) return null;
  return (
    <EditableFact kind={kind} input="tags" className="w-full pointer-coarse:[&>button]:-my-1.5">
      <span className="flex flex-wrap items-center gap-1.5 pointer-coarse:gap-x-2 pointer-coarse:gap-y-3">
        {tags.map((tag) => (
          <TagLink key={tag} kind={kind} tag={tag} />
        ))}
      </span>
    </EditableFact>
  );
}
