import type { AttachedFile } from "@/api/schema";

/** Whether a file is a picture that browsers show. */
export const isPicture = ({ mediaType }: AttachedFile) => /^image\/(png|jpeg|webp|gif)$/.test(mediaType);

/** Whether a file is a PDF by its media type, or by its name if the browser that uploaded it knew no type. */
export const isPdf = ({ mediaType, name }: AttachedFile) =>
  mediaType === "application/pdf" || (/\.pdf$/i.test(name) && !mediaType.startsWith("image/"));

/** Whether a file opens in the application; all others are downloads. */
export const hasPreview = (file: AttachedFile) => isPicture(file) || isPdf(file);
