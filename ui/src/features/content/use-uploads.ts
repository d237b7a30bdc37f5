import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import type { AttachedFile } from "@/api/schema";
import { upload } from "@/api/upload";
import { useFileLimit } from "@/features/files/use-file-limit";

/** Maximum files per message. */
export const maxFiles = 10;

/** A file that is being uploaded. */
export interface Uploading {
  id: number;
  name: string;
  size: number;
  /** From 0 to 1. */
  share: number;
  /** The reason of a failure. */
  wrong?: string;
}

let next = 1;

/** Reads a picture's size before the upload. */
async function sizeOf(file: File): Promise<{ width?: number; height?: number }> {
  if (!/^image\/(png|jpeg|webp)$/.test(file.type) || !("createImageBitmap" in globalThis)) return {};
  try {
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    picture.close();
    return { width, height };
  } catch {
    return {};
  }
}

/** Uploads files while the member goes on writing; each upload can be cancelled. */
export function useUploads(known: number, onDone: (attachment: AttachedFile) => void) {
  const { t } = useTranslation();
  const limit = useFileLimit();
  const [uploads, setUploads] = useState<Uploading[]>([]);
  const running = useRef(new Map<number, AbortController>());
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const all = running.current;
    return () => {
      for (const one of all.values()) one.abort();
    };
  }, []);

  const change = (id: number, to: Partial<Uploading>) => setUploads((list) => list.map((one) => (one.id === id ? { ...one, ...to } : one)));
  const drop = (id: number) => setUploads((list) => list.filter((one) => one.id !== id));

  const start = async (id: number, file: File) => {
    const control = new AbortController();
    running.current.set(id, control);
    try {
      const [room, { url, name, size, type }] = await Promise.all([
        sizeOf(file),
        upload(file, { signal: control.signal, onProgress: (share) => change(id, { share }) }),
      ]);
      drop(id);
      done.current({ path: url, name, size, mediaType: type, ...room });
    } catch (error) {
      if (control.signal.aborted) return;
      const refused = error instanceof ApiError ? (Object.values(error.fields)[0] ?? errorText(error)) : errorText(error);
      change(id, { wrong: refused });
    } finally {
      running.current.delete(id);
    }
  };

  return {
    uploads,
    busy: uploads.some(({ wrong }) => wrong === undefined),
    take: (files: Iterable<File>) => {
      let room = maxFiles - known - uploads.length;
      for (const file of files) {
        const id = next++;
        room -= 1;
        const wrong =
          room < 0
            ? t("ui.chat.tooManyFiles", { count: maxFiles })
            : limit.isTooLarge(file)
              ? t("ui.files.fileSize", { max: limit.text })
              : file.size === 0
                ? t("ui.chat.emptyFile")
                : undefined;
        setUploads((list) => [...list, { id, name: file.name, size: file.size, share: 0, ...(wrong && { wrong }) }]);
        if (!wrong) void start(id, file);
      }
    },
    cancel: (id: number) => {
      running.current.get(id)?.abort();
      drop(id);
    },
  };
}
