import { createContext, type ReactNode, Suspense, use, useCallback, useState } from "react";
import type { AttachedFile } from "@/api/schema";
import { lazyOnIdle } from "@/lib/lazy-on-idle";

const Lightbox = lazyOnIdle(() => import("./lightbox"));

type View = (files: AttachedFile[], at: number) => void;

const Viewing = createContext<View>(() => undefined);

/** Returns what shows one of several files in the viewer around. */
export const useFileViewer = () => use(Viewing);

/**
 * Shows the files of the rows in it as large as the window allows. It is around the rows, so that a file stays open when
 * its row is replaced, as that of a message is once it was sent.
 */
export function FileViewer({ children }: { children: ReactNode }) {
  const [viewed, setViewed] = useState<{ files: AttachedFile[]; at: number }>();
  const view = useCallback<View>((files, at) => setViewed({ files, at }), []);
  return (
    <Viewing value={view}>
      {children}
      <Suspense>
        {viewed && <Lightbox {...viewed} onMove={(at) => setViewed({ ...viewed, at })} onClose={() => setViewed(undefined)} />}
      </Suspense>
    </Viewing>
  );
}
