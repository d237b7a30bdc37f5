import { ArrowLeft, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { ButtonLink } from "@/components/button-link";
import { useTitle } from "@/lib/use-title";
import { Split } from "./split";

/** What a guest can do about each of these; nothing of it happens here, so the page says where it does. */
const notes = {
  "forgot-password": "password",
  "reset-password": "password",
  "sign-up": "company",
  "activate-account": "activate",
} as const;
type Path = keyof typeof notes;

/** Tells a guest who helps, and leads back to signing in. */
export function GuestNotePage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const note = notes[pathname.slice(1) as Path] ?? "password";
  const title = t(`ui.auth.notes.${note}.title`);
  useTitle(title);
  return (
    <Split>
      <h1 className="mt-9 text-2xl font-title tracking-[-.022em] text-ink">{title}</h1>
      <p className="mt-1 mb-6 text-muted">{t(`ui.auth.notes.${note}.lead`)}</p>
      <ul className="grid gap-3 border-t border-line pt-5">
        {(["first", "second"] as const).map((step) => (
          <li key={step} className="flex gap-2.5">
            <ChevronRight aria-hidden size={18} className="mt-0.5 text-accent" />
            {t(`ui.auth.notes.${note}.${step}`)}
          </li>
        ))}
      </ul>
      <ButtonLink to="/sign-in" variant="primary" size="lg" wide icon={ArrowLeft} className="mt-8">
        {t("ui.auth.backToSignIn")}
      </ButtonLink>
    </Split>
  );
}
