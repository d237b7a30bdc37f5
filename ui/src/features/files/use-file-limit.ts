import { useQuery } from "@tanstack/react-query";
import { sizeLimit } from "@/lib/format";
import { fileLimitQuery } from "./data";

/** Returns the limit of files as a text, and whether a file is larger. Until the limit is known, the server decides. */
export function useFileLimit() {
  const { data } = useQuery(fileLimitQuery);
  return {
    text: data === undefined ? undefined : sizeLimit(data),
    isTooLarge: (file: File) => data !== undefined && file.size > data,
  };
}
