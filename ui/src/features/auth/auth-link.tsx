import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";

/** A link to another sign-in page, within a sentence or below a form. */
export function AuthLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="rounded font-medium text-accent hover:underline">
      {children}
    </Link>
  );
}

/** The link back to sign-in, below a form. */
export function BackToSignIn() {
  const { t } = useTranslation();
  return (
    <p className="mt-6 text-center">
      <Link to="/sign-in" className="inline-flex items-center gap-1.5 rounded font-medium text-accent hover:underline">
        <ArrowLeft aria-hidden size={16} />
        {t("ui.auth.backToSignIn")}
      </Link>
    </p>
  );
}
