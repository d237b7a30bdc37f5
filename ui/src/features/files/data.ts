import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Upload } from "@/api/schema";

/** Accepted picture types, as on the server. */
export const pictureTypes = ["image/png", "image/jpeg", "image/webp"];

/** Bytes of the largest file that the server takes. */
export const fileLimitQuery = queryOptions({
  queryKey: ["file-limit"],
  queryFn: async ({ signal }) => (await api.get("/api/schema", { signal })).maxFileBytes,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Uploads a file to the company's files; returns its address. */
export function upload(file: File): Promise<Upload> {
  const form = new FormData();
  form.set("file", file);
  return api.post("/api/files", form);
}
