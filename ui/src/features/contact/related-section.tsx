import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";

export interface RelatedSectionProps {
  id: string;
  title: string;
  /** The way to add a record: an address, or a press. Absent for members who may not. */
  add?: { label: string; to: string; state?: unknown } | { label: string; onPress: () => void } | undefined;
  /** The way to all records; absent when all are shown. */
  all?: { to: string; label: string } | undefined;
  children?: ReactNode;
}

const link = { size: "sm", variant: "ghost" } as const;

/** Adds a record; in a narrow column, only the title of the section names its kind. */
function AddRecord(add: NonNullable<RelatedSectionProps["add"]>) {
  const { t } = useTranslation();
  const { label } = add;
  const common = { ...link, icon: Plus, "aria-label": label, className: "-mr-2.75" };
  const text = (
    <>
      <span className="@max-[16rem]:hidden">{label}</span>
      <span className="@min-[16rem]:hidden">{t("ui.action.add")}</span>
    </>
  );
  return "to" in add ? (
    <ButtonLink to={add.to} state={add.state} {...common}>
      {text}
    </ButtonLink>
  ) : (
    <Button onClick={add.onPress} {...common}>
      {text}
    </Button>
  );
}

/** Records that belong to the one shown, below a title. */
export function RelatedSection({ id, title, add, all, children }: RelatedSectionProps) {
  return (
    <section aria-labelledby={id} className="@container mt-7 border-t border-line pt-4">
      <div className="flex min-h-8.5 items-center justify-between gap-2">
        <h3 id={id} className="text-sm font-semibold text-ink">
          {title}
        </h3>
        {add && <AddRecord {...add} />}
      </div>
      {children}
      {all && (
        <ButtonLink to={all.to} {...link} className="-ml-2.75">
          {all.label}
        </ButtonLink>
      )}
    </section>
  );
}
