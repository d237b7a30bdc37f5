import { Building2, Lock, type LucideIcon, Users } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { Visibility } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { PeopleField, type PersonOption } from "@/components/people-field";
import { useUser } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";

type VisibleTo = Visibility["to"];

const icons: Record<VisibleTo, LucideIcon> = { company: Building2, people: Users, me: Lock };
const choices: VisibleTo[] = ["company", "people", "me"];

/** Returns how a visibility is named for a record of an author. */
export function useVisibilityText() {
  const { t } = useTranslation();
  const user = useUser();
  const { find } = useMembers();
  return ({ to, people }: Visibility, author: string | undefined): string => {
    if (to === "company") return t("ui.visibility.company");
    if (to === "people") return t("ui.visibility.people", { count: people.length + (author ? 1 : 0) });
    if (author === user.id) return t("ui.visibility.me");
    const name = find(author)?.name;
    return name ? t("ui.visibility.author", { name }) : t("ui.visibility.nobody");
  };
}

export interface VisibilityButtonProps {
  value: Visibility;
  author: string | undefined;
  /** Whether the member may change it. */
  mayChange: boolean;
  /** Replaces the name of the state where something else restricts the record further. */
  state?: string | undefined;
  /** What else is true of who can see it. */
  notes: string[];
  /** Rejects with the error that the dialog shows. */
  onSave: (value: Visibility) => Promise<unknown>;
}

/** Shows who can see a record, and changes it in a dialog. */
export function VisibilityButton({ value, author, mayChange, state, notes, onSave }: VisibilityButtonProps) {
  const { t } = useTranslation();
  const text = useVisibilityText();
  const [isOpen, setOpen] = useState(false);
  const Icon = state ? Lock : icons[value.to];
  const label = state ?? text(value, author);
  const content = (
    <>
      <Icon aria-hidden size={14} className="shrink-0" />
      <span className="sr-only">{t("ui.visibility.named", { state: label })}</span>
      <span aria-hidden>{label}</span>
    </>
  );
  if (!mayChange) return <span className="inline-flex items-center gap-1.5">{content}</span>;
  return (
    <>
      <Button data-refocus size="sm" variant="ghost" className="-mx-2 min-w-0 gap-1.5! px-2! text-muted!" onClick={() => setOpen(true)}>
        {content}
      </Button>
      {isOpen && <VisibilityDialog value={value} author={author} notes={notes} onSave={onSave} onClose={() => setOpen(false)} />}
    </>
  );
}

type VisibilityDialogProps = Pick<VisibilityButtonProps, "value" | "author" | "notes" | "onSave"> & { onClose: () => void };

function VisibilityDialog({ value, author, notes, onSave, onClose }: VisibilityDialogProps) {
  const { t } = useTranslation();
  const user = useUser();
  const form = useId();
  const { members, find } = useMembers();
  const text = useVisibilityText();
  const [to, setTo] = useState(value.to);
  const [people, setPeople] = useState(value.people);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [missing, setMissing] = useState(false);

  const offered: PersonOption[] = members
    .filter(({ id, state }) => id !== author && (state !== "suspended" || people.includes(id)))
    .map(({ id, name, email, avatar }) => ({ id, name, line: email, avatar }));
  // Former members stay as long as they are chosen.
  for (const id of people) {
    const person = offered.some((one) => one.id === id) ? undefined : find(id);
    if (person) offered.push(person);
  }
  const names: Record<VisibleTo, string> = {
    company: t("ui.visibility.everyone"),
    people: t("ui.visibility.chosen"),
    me: text({ to: "me", people: [] }, author),
  };
  const save = () => {
    if (to === "people" && people.length === 0) {
      setMissing(true);
      return;
    }
    setBusy(true);
    onSave({ to, people: to === "people" ? people : [] }).then(onClose, (failure: unknown) => {
      setBusy(false);
      setError(failure);
    });
  };
  const ofField = (error !== null && fieldError(error, "visibility.people")) || undefined;
  return (
    <Dialog
      title={t("ui.visibility.title")}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form={form} busy={busy}>
            {t("ui.action.save")}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {error !== null && !ofField && <Alert kind="error">{fieldError(error, "visibility") ?? errorText(error)}</Alert>}
        <fieldset className="grid min-w-0 grid-cols-1 gap-2">
          <legend className="sr-only">{t("ui.visibility.title")}</legend>
          {choices.map((choice) => {
            const Icon = icons[choice];
            return (
              <label
                key={choice}
                className={cx(
                  "flex min-h-11 min-w-0 cursor-pointer items-center gap-3 rounded-control border px-3 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-primary",
                  to === choice ? "border-primary bg-tint-soft" : "border-line-strong hover:bg-sunken",
                )}
              >
                <input
                  type="radio"
                  name={`${form}-to`}
                  checked={to === choice}
                  onChange={() => setTo(choice)}
                  className="size-4 shrink-0 accent-primary focus-visible:outline-none"
                />
                <Icon aria-hidden size={16} className="shrink-0 text-muted" />
                <span className="min-w-0 flex-1 font-medium text-ink [overflow-wrap:anywhere]">{names[choice]}</span>
              </label>
            );
          })}
        </fieldset>
        {to === "people" && (
          <PeopleField
            label={t("ui.visibility.peopleField")}
            required
            placeholder={t("ui.visibility.peoplePlaceholder")}
            value={people}
            onChange={(chosen) => {
              setPeople(chosen);
              setMissing(false);
            }}
            options={offered}
            error={missing ? t("ui.visibility.choose") : ofField}
          />
        )}
        {(to !== "company" || notes.length > 0) && (
          <p className="text-sm text-muted">{[...(to === "company" ? [] : [t("ui.visibility.admins")]), ...notes].join(" ")}</p>
        )}
        {author !== user.id && to === "people" && find(author) && (
          <p className="text-sm text-muted">{t("ui.visibility.authorToo", { name: find(author)?.name })}</p>
        )}
      </form>
    </Dialog>
  );
}
