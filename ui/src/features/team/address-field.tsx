import { CircleAlert, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Invitee } from "@/api/schema";
import { Field } from "@/components/field";
import { endsAddress, parseAddresses } from "@/lib/addresses";
import { cx } from "@/lib/cx";
import { holdHeight } from "@/lib/press";

/** A person to invite, with the error of the address. */
export interface Addressee extends Invitee {
  problem?: string | undefined;
}

export interface AddressFieldProps {
  label: string;
  hint: string;
  error?: string | undefined;
  value: Addressee[];
  onChange: (people: Invitee[]) => void;
}

/** Many addresses as chips: typed one after the other, or pasted at once. */
export function AddressField({ label, hint, error, value, onChange }: AddressFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const people = value.map(({ email, name }): Invitee => ({ email, ...(name && { name }) }));
  const take = (typed: string) => {
    const found = new Map(people.map((one) => [one.email, one]));
    for (const { email, name } of parseAddresses(typed)) found.set(email, { ...found.get(email), email, ...(name && { name }) });
    setText("");
    if (typed.trim() !== "") onChange([...found.values()]);
  };
  const remove = (email: string) => {
    onChange(people.filter((other) => other.email !== email));
    input.current?.focus();
  };
  return (
    <Field id={id} label={label} hint={hint} error={error} required>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press on the field's empty area focuses the field */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard reaches the field by itself */}
      <div
        onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
        className="flex max-h-56 min-h-24 flex-wrap content-start items-start gap-1.5 pointer-coarse:gap-2 overflow-y-auto rounded-control border border-line-strong bg-surface p-2 shadow-control transition-colors hover:border-gray-400 focus-within:border-primary focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-primary"
      >
        {value.length > 0 && (
          <ul aria-label={label} className="contents">
            {value.map(({ email, name, problem }) => (
              <li
                key={email}
                className={cx(
                  "inline-flex max-w-full items-center gap-1.5 rounded-lg border py-0.5 pr-1 pl-2 text-sm pointer-coarse:min-h-9 pointer-coarse:pr-2",
                  problem ? "border-bad bg-bad-soft text-bad" : "border-line bg-sunken text-ink",
                )}
              >
                {problem && <CircleAlert aria-hidden size={14} className="shrink-0" />}
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  {name && <span dir="auto" className="font-medium">{`${name} `}</span>}
                  <span className={cx(name && !problem && "text-muted")}>{email}</span>
                  {problem && <span className="opacity-90">{` · ${problem}`}</span>}
                </span>
                <button
                  type="button"
                  aria-label={t("ui.action.removeNamed", { name: email })}
                  onClick={() => remove(email)}
                  className="fingertip relative grid size-6 shrink-0 place-items-center rounded-md hover:bg-black/5"
                >
                  <X aria-hidden size={14} />
                </button>
              </li>
            ))}
          </ul>
        )}
        <input
          ref={input}
          id={id}
          autoFocus
          value={text}
          type="text"
          inputMode="email"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-note`}
          placeholder={value.length === 0 ? t("ui.team.invite.placeholder") : undefined}
          onChange={(event) => (endsAddress(event.target.value) ? take(event.target.value) : setText(event.target.value))}
          onPaste={(event) => {
            event.preventDefault();
            take(text + event.clipboardData.getData("text"));
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && text.trim() !== "") {
              event.preventDefault();
              take(text);
            } else if (event.key === "Backspace" && text === "" && people.length > 0) onChange(people.slice(0, -1));
          }}
          onBlur={() => {
            holdHeight(input.current?.parentElement ?? null);
            take(text);
          }}
          className="h-7 min-w-40 flex-1 bg-transparent px-1 outline-none placeholder:text-muted"
        />
      </div>
    </Field>
  );
}
