import { LayoutList, Table2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "@/components/button-link";
import { useAddressQuery } from "@/lib/use-address";

/** How tasks are laid out. */
export const layouts = ["sections", "table"] as const;

/** Leads to the other layout of the tasks, with the same filters. */
export function LayoutLink({ layout }: { layout: (typeof layouts)[number] }) {
  const { t } = useTranslation();
  const { search } = useAddressQuery({});
  const query = new URLSearchParams(search);
  for (const name of ["cursor", "page"]) query.delete(name);
  query.set("layout", layout);
  return (
    <ButtonLink to={`/tasks?${query}`} icon={layout === "table" ? Table2 : LayoutList} preventScrollReset>
      {t(`ui.tasks.layouts.${layout}`)}
    </ButtonLink>
  );
}
