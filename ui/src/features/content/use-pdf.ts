import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AttachedFile } from "@/api/schema";
import { fetchFile } from "./data";
import {
  type AppMessage,
  type Failure,
  type Labels,
  MAX_BYTES,
  MAX_PAGES,
  messageOf,
  OPEN_TIMEOUT_MS,
  type PassedKey,
  type ResourceKind,
  type ScrollKey,
  type View,
  type ZoomStep,
} from "./pdf-messages";

export type PdfState = { is: "opening" } | { is: "shown"; pages: number } | { is: "failed"; reason: Failure | "unreachable" };

export interface Pdf {
  frame: RefObject<HTMLIFrameElement | null>;
  state: PdfState;
  view: View | undefined;
  /** Changes with each attempt to open a document, which has a frame of its own. */
  attempt: string;
  zoom: (step: ZoomStep) => void;
  scroll: (key: ScrollKey) => void;
  retry: () => void;
}

/** Opens a PDF in the sandboxed frame that shows it; without a file, there is none. */
export function usePdf(file: AttachedFile | undefined, onKey: (key: PassedKey) => void): Pdf {
  const { t, i18n } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<PdfState>({ is: "opening" });
  const [view, setView] = useState<View>();
  const passKey = useEffectEvent(onKey);
  const labels = useEffectEvent(
    (): Labels => ({
      lang: i18n.language,
      page: t("ui.preview.page", { page: "{page}", pages: "{pages}" }),
      pageFailed: t("ui.preview.pageFailed"),
      more: t("ui.preview.more", { max: MAX_PAGES, pages: "{pages}" }),
    }),
  );
  const path = file?.path;
  const size = file?.size ?? 0;
  // A sandboxed frame has no origin that could be named.
  const send = (message: AppMessage, transfer: Transferable[] = []) => frame.current?.contentWindow?.postMessage(message, "*", transfer);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each try opens the document again
  useEffect(() => {
    if (path === undefined) return;
    setState({ is: "opening" });
    setView(undefined);
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const fail = (reason: Failure | "unreachable") => {
      end.abort();
      clearTimeout(timer);
      setState({ is: "failed", reason });
    };
    if (size > MAX_BYTES) return fail("large");
    const loaded = fetchFile(path, MAX_BYTES, end.signal);
    const ready = new Promise<void>((done) => {
      const answer = async (id: number, kind: ResourceKind, name: string) => {
        const bytes = await import("./pdf-resources").then(({ loadResource }) => loadResource(kind, name)).catch(() => null);
        if (!end.signal.aborted) send({ type: "resource", id, bytes }, bytes ? [bytes] : []);
      };
      const hear = (event: MessageEvent) => {
        const message = messageOf(frame.current, event);
        switch (message?.type) {
          case "ready":
            return done();
          case "opened":
            clearTimeout(timer);
            setState({ is: "shown", pages: message.pages });
            // The keys that scroll go to the document, unless the focus is already at a button.
            if (!document.activeElement?.matches("button, a")) frame.current?.focus();
            return;
          case "failed":
            return fail(message.reason);
          case "view":
            return setView(message);
          case "key":
            // The frame may be replaced by the next file's, and the focus must not be lost with it.
            frame.current?.closest<HTMLElement>("[role=dialog]")?.focus();
            return passKey(message.key);
          case "request":
            return void answer(message.id, message.kind, message.name);
        }
      };
      addEventListener("message", hear, { signal: end.signal });
    });
    const open = async () => {
      const bytes = await loaded;
      if (bytes === "large") return fail("large");
      timer = setTimeout(() => fail("unreachable"), OPEN_TIMEOUT_MS);
      await ready;
      clearTimeout(timer);
      if (end.signal.aborted) return;
      timer = setTimeout(() => fail("slow"), OPEN_TIMEOUT_MS);
      send({ type: "open", bytes, labels: labels() }, [bytes]);
    };
    open().catch(() => {
      if (!end.signal.aborted) fail("unreachable");
    });
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [path, size, tries]);

  return {
    frame,
    state,
    view,
    attempt: `${path} ${tries}`,
    zoom: (step) => send({ type: "zoom", step }),
    scroll: (key) => send({ type: "scroll", key }),
    retry: () => setTries(tries + 1),
  };
}
