import { lazy, Suspense } from "react";
import type { RichEditorProps } from "./rich-editor";
import { Skeleton } from "./skeleton";

const Editor = lazy(async () => ({ default: (await import("./rich-editor")).RichEditor }));

/** The editor, loaded when it is first shown. */
export function LazyRichEditor(props: RichEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <Editor {...props} />
    </Suspense>
  );
}
