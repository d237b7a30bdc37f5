import { useTags } from "@/records/tags";
import { TagInput, type TagInputProps } from "./tag-input";

/** The tags of a record. Suggests those of the company, the most used first, with their colours. */
export function TagsField(props: Omit<TagInputProps, "suggestions" | "colourOf">) {
  const { tags, colourOf } = useTags();
  return <TagInput {...props} suggestions={tags.map(({ tag }) => tag)} colourOf={colourOf} />;
}
