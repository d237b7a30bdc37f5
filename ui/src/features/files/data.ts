import { api } from "@/api/client";
import type { Upload } from "@/api/schema";

/** Accepted picture types, as on the server. */
export const pictureTypes = ["image/png", "image/jpeg", "image/webp"];
/** Maximum bytes of a file, as on the server. */
export const maxFileBytes = 5 * 1024 * 1024;

/** Uploads a file to the company's files; returns its address. */
export function upload(file: File): Promise<Upload> {
  const form = new FormData();
  form.set("file", file);
  return api.post("/api/files", form);
}
