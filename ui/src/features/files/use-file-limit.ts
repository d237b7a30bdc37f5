import { useQuery } from "@tanstack/react-query";
import { fileLimitQuery } from "./data";

/** The size in the unit in which limits are set. */
const limitText = (bytes: number) => (bytes < 1 << 20 ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(bytes / (1 << 20))} MB`);

/** Returns the limit of files as a text, and whether a file is larger. Until the limit is known, the server decides. */
export function useFileLimit() {
  const { data } = useQuery(fileLimitQuery);
  return {
    text: data === undefined ? undefined : limitText(data),
    isTooLarge: (file: File) => data !== undefined && file.size > data,
  };
}
