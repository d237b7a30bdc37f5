import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";

export interface FormCardProps {
  title: string;
  lead: string;
  dirty: boolean;
  busy: boolean;
  /** An error that belongs to no single field. */
  error?: string | undefined;
  /** A dialog to answer before saving. */
  dialog?: ReactNode;
  onSubmit: (event: FormEvent) => void;
  onReset: () => void;
  children: ReactNode;
}

/** A settings form, with its buttons at the end. */
export function FormCard({ title, lead, dirty, busy, error, dialog, onSubmit, onReset, children }: FormCardProps) {
  const { t } = useTranslation();
  return (
    <form noValidate onSubmit={onSubmit} className="overflow-hidden rounded-2xl border border-line bg-surface shadow-card">
      <header className="px-5 pt-5 sm:px-6">
        <h2 className="text-lg font-bold tracking-[-.01em] text-ink">{title}</h2>
        <p className="text-sm text-muted">{lead}</p>
      </header>
      <div className="grid grid-cols-1 gap-5 px-5 py-5 sm:px-6">
        {error && <Alert kind="error">{error}</Alert>}
        {children}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sunken px-5 py-3.5 sm:px-6">
        {dirty && <span className="mr-auto text-sm text-muted">{t("ui.form.unsaved")}</span>}
        <Button onClick={onReset} disabled={!dirty || busy}>
          {t("ui.action.cancel")}
        </Button>
        <Button type="submit" variant="primary" busy={busy} disabled={!dirty}>
          {t("ui.form.saveChanges")}
        </Button>
      </footer>
      {dialog}
    </form>
  );
}
