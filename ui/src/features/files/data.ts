import { api } from "@/api/client";
import type { Upload } from "@/api/schema";

/** What a picture may be, by the server's rules. */
export const pictureTypes = ["image/png", "image/jpeg", "image/webp"];
/** Bytes that any file may have. */
export const fileLimit = 5 * 1024 * 1024;

/** Stores a file with the company's and answers its address. */
export function upload(file: File): Promise<Upload> {
  const form = new FormData();
  form.set("file", file);
  return api.post<Upload>("/api/files", form);
}
