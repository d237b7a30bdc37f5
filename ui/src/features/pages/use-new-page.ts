import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useAddPage } from "./data";

/** Creates a page and opens its editor. */
export function useNewPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { mutateAsync, isPending } = useAddPage();
  return {
    isPending,
    // Opens it even if the component that asked for it is gone.
    make: (parentId?: string) =>
      void mutateAsync({ title: t("ui.pages.newTitle"), ...(parentId && { parentId }) }).then(
        (page) => navigate(`/pages/${page.id}?edit=1`),
        () => undefined,
      ),
  };
}
