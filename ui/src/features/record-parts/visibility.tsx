import { Building2, ChevronDown, Lock, type LucideIcon, Users } from "lucide-react";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { Visibility } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { inputClass } from "@/components/field";
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
  /** Whether it is a field of a form. */
  isField?: boolean;
  /** Rejects with the error that the dialog shows. */
  onSave: (value: Visibility) => Promise<unknown>;
}

/** Shows who can see a record, and changes it in a dialog. */
export function VisibilityButton({ value, author, mayChange, state, notes, isField, onSave }: VisibilityButtonProps) {
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
      {isField ? (
        <button type="button" className={cx(inputClass, "flex! items-center gap-2 text-left")} onClick={() => setOpen(true)}>
          {content}
          <ChevronDown aria-hidden size={16} className="ml-auto text-muted" />
        </button>
      ) : (
        <Button size="sm" variant="ghost" className="-mx-2 min-w-0 gap-1.5! px-2! text-muted!" onClick={() => setOpen(true)}>
          {content}
        </Button>
      )}
      {isOpen && <VisibilityDialog value={value} author={author} notes={notes} onSave={onSave} onClose={() => setOpen(false)} />}
    </>
  );
}

type VisibilityDialogProps = Pick<VisibilityButtonProps, "value" | "author" | "notes" | "onSave"> & { onClose: () => void };

interface VisibilityFieldsProps {
  value: Visibility;
  onChange: (value: Visibility) => void;
  /** The author of the record; undefined if it has none, or for records of several. */
  author: string | undefined;
  /** The name of the choice by which only the author sees it. */
  onlyAuthor: string;
  error?: string | undefined;
}

/** Chooses who can see a record. */
function VisibilityFields({ value: { to, people }, onChange, author, onlyAuthor, error }: VisibilityFieldsProps) {
  const { t } = useTranslation();
  const group = useId();
  const { members, find } = useMembers();
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
    me: onlyAuthor,
  };
  return (
    <>
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
                name={group}
                checked={to === choice}
                onChange={() => onChange({ to: choice, people })}
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
          onChange={(chosen) => onChange({ to, people: chosen })}
          options={offered}
          error={error}
        />
      )}
    </>
  );
}

/** A visibility as calls take it. */
const sent = ({ to, people }: Visibility): Visibility => ({ to, people: to === "people" ? people : [] });

/** Chooses who can see several records; null while people are to be chosen and none is. */
export function VisibilityInput({ onChange }: { onChange: (value: Visibility | null) => void }) {
  const { t } = useTranslation();
  const [value, setValue] = useState<Visibility>({ to: "company", people: [] });
  const change = (next: Visibility) => {
    setValue(next);
    onChange(next.to === "people" && next.people.length === 0 ? null : sent(next));
  };
  const report = useEffectEvent(() => onChange(value));
  useEffect(() => report(), []);
  return (
    <>
      <VisibilityFields value={value} onChange={change} author={undefined} onlyAuthor={t("ui.visibility.onlyAuthor")} />
      {value.to !== "company" && <p className="text-sm text-muted">{t("ui.visibility.admins")}</p>}
    </>
  );
}

function VisibilityDialog({ value, author, notes, onSave, onClose }: VisibilityDialogProps) {
  const { t } = useTranslation();
  const user = useUser();
  const form = useId();
  const { find } = useMembers();
  const text = useVisibilityText();
  const [chosen, setChosen] = useState(value);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [missing, setMissing] = useState(false);

  const save = () => {
    if (chosen.to === "people" && chosen.people.length === 0) {
      setMissing(true);
      return;
    }
    setBusy(true);
    onSave(sent(chosen)).then(onClose, (failure: unknown) => {
      setBusy(false);
      setError(failure);
    });
  };
  const ofField = (error !== null && fieldError(error, "visibility.people")) || undefined;
  return (
    <Dialog
      // The radio buttons above the people come first.
      hasOwnFocus
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
          // Not the form that the button may be in.
          event.stopPropagation();
          save();
        }}
      >
        {error !== null && !ofField && <Alert kind="error">{fieldError(error, "visibility") ?? errorText(error)}</Alert>}
        <VisibilityFields
          value={chosen}
          onChange={(next) => {
            setChosen(next);
            setMissing(false);
          }}
          author={author}
          onlyAuthor={text({ to: "me", people: [] }, author)}
          error={missing ? t("ui.visibility.choose") : ofField}
        />
        {(chosen.to !== "company" || notes.length > 0) && (
          <p className="text-sm text-muted">{[...(chosen.to === "company" ? [] : [t("ui.visibility.admins")]), ...notes].join(" ")}</p>
        )}
        {author !== user.id && chosen.to === "people" && find(author) && (
          <p className="text-sm text-muted">{t("ui.visibility.authorToo", { name: find(author)?.name })}</p>
        )}
      </form>
    </Dialog>
  );
}
