import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";

/** Returns a function that says why an import could not begin: what is wrong with its columns, or another one in progress. */
export function useRefusalText() {
  const { t } = useTranslation();
  return (error: unknown): string => {
    if (error instanceof ApiError && error.code === "conflict" && Object.keys(error.fields).length === 0) return t("ui.imports.busy");
    return (error instanceof ApiError && Object.values(error.fields)[0]) || errorText(error);
  };
}
