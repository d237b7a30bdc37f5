import { ApiError, errorText } from "@/api/errors";

/** Returns why an import was refused: what is wrong with the file or its columns, if the server says so. */
export const refusalText = (error: unknown) => (error instanceof ApiError && Object.values(error.fields)[0]) || errorText(error);
