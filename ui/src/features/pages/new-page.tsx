import { useEffect, useRef } from "react";
import { SkeletonRows } from "@/components/skeleton";
import { useNewPage } from "./use-new-page";

/** Creates a page and opens its editor in its place: other screens create pages by this address. */
export function NewPage() {
  const { make } = useNewPage();
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    make(undefined, { replace: true });
  }, [make]);
  return <SkeletonRows rows={5} className="p-2" />;
}
