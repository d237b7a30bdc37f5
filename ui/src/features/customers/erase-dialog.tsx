import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/text-field";
import { fold } from "@/lib/fold";
import { toast } from "@/lib/toast";
import { type Person, useErasePerson } from "./data";

/** The texts that say what is deleted and what stays. */
const parts = {
  goes: ["goes.record", "goes.files", "goes.activities", "goes.links"],
  stays: ["stays.records", "stays.activities", "stays.entries", "stays.backups"],
} as const;

interface EraseDialogProps {
  /** Also one in the bin. */
  person: Person;
  onClose: () => void;
  onErased: () => void;
}

/** Says what is deleted and what stays, and asks for the name of the person. */
export function EraseDialog({ person, onClose, onErased }: EraseDialogProps) {
  const { t } = useTranslation();
  const form = useId();
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // After the closing menu has given the focus back.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const erase = useErasePerson(person);
  const isConfirmed = fold(typed.trim().replaceAll(/\s+/g, " ")) === fold(person.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (isConfirmed && !erase.isPending) {
      erase.mutate(undefined, {
        onSuccess: () => {
          onErased();
          toast.success(t("ui.customers.personal.erased"));
        },
      });
    }
  };
  return (
    <Dialog
      title={t("ui.customers.personal.title", { name: person.name })}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="danger" type="submit" form={form} disabled={!isConfirmed} busy={erase.isPending}>
            {t("ui.customers.personal.confirm")}
          </Button>
        </>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={submit}>
        {(["goes", "stays"] as const).map((part) => (
          <section key={part}>
            <h3 className="font-semibold text-ink">{t(`ui.customers.personal.${part}.title`)}</h3>
            <ul className="mt-1 list-disc ps-5 text-soft">
              {parts[part].map((line) => (
                <li key={line}>{t(`ui.customers.personal.${line}`)}</li>
              ))}
            </ul>
          </section>
        ))}
        <p className="font-medium text-bad">{t("ui.customers.personal.final")}</p>
        <TextField
          label={t("ui.customers.personal.name", { name: person.name })}
          ref={field}
          autoComplete="off"
          dir="auto"
          maxLength={200}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        {erase.error && <Alert kind="error">{errorText(erase.error)}</Alert>}
      </form>
    </Dialog>
  );
}
