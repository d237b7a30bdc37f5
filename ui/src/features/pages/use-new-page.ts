import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useAddPage } from "./data";

/** Makes a page and opens it for writing. */
export function useNewPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { mutateAsync, isPending } = useAddPage();
  return {
    isPending,
    // Goes there even when what asked for it is gone by then.
    make: (parentId?: string) =>
      void mutateAsync({ title: t("ui.pages.newTitle"), ...(parentId && { parentId }) }).then(
        (page) => navigate(`/pages/${page.id}?edit=1`),
        () => undefined,
      ),
  };
}
