import { BookOpen } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { helpHome } from "@/lib/links";

/** A text on a sheet, below the link back to the help. */
export function Reading({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="no-print mb-3 text-sm">
        <Link to={helpHome} className="inline-flex items-center gap-1.5 text-muted hover:text-ink hover:underline">
          <BookOpen aria-hidden size={16} />
          {t("ui.help.title")}
        </Link>
      </p>
      <article className="rounded-2xl border border-line bg-surface px-5 py-7 shadow-card sm:px-10 sm:py-10 print:border-0 print:shadow-none">
        {children}
      </article>
    </>
  );
}
