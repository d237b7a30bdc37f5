import { Paperclip, SendHorizontal, Smile, X } from "lucide-react";
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { Mention, RecordReferenceInput } from "@/api/schema";
import { ChoiceList } from "@/components/choices";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { type Draft, type DraftChange, emptyDraft } from "./draft";
import { EmojiButton } from "./emoji-picker";
import { insertName, namesInText } from "./mention-trigger";
import { UploadChips } from "./upload-chips";
import { type Mentionable, useSuggestions } from "./use-suggestions";
import type { useUploads } from "./use-uploads";

/** Maximum characters of a text. */
export const maxTextLength = 4000;
/** Remaining characters at which the counter appears. */
const warnRemaining = 200;

/** A text that was sent and is being edited. */
export interface Editing {
  value: string;
  /** Whether what is typed was kept from before the page was opened. */
  isKept?: boolean | undefined;
  isPending: boolean;
  error: unknown;
  save: (change: { value: string; mentions: Mention[]; references: RecordReferenceInput[] }) => void;
  stop: () => void;
}

export interface ComposerProps {
  /** The members who can be mentioned. */
  people: Mentionable[];
  /** The names of the field and its buttons. */
  labels: { write: string; edit: string; send: string };
  draft: Draft;
  onDraft: (change: DraftChange) => void;
  files: ReturnType<typeof useUploads>;
  /** The text that is being edited, instead of a new one. */
  editing: Editing | undefined;
  /** Called for arrow up in the empty field. */
  onEditLast: () => boolean;
  onSend: (draft: Draft) => void;
  onTyping?: (() => void) | undefined;
  input: RefObject<HTMLTextAreaElement | null>;
}

/** The field for a message or comment: `@` names a colleague, `#` a record; Enter sends, Shift+Enter begins a line. */
export function Composer({ people, labels, draft, onDraft, files, editing, onEditLast, onSend, onTyping, input }: ComposerProps) {
  const { t } = useTranslation();
  const note = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number>();
  const { text } = draft;
  const suggestions = useSuggestions({
    people,
    text,
    caret,
    named: [...draft.mentions, ...draft.references].map((one) => one.text),
    onName: (naming, name, named) => {
      const next = insertName(text, naming, caret ?? text.length, name);
      onDraft((before) => ({
        text: next.text,
        mentions: named.mention ? [...before.mentions, named.mention] : before.mentions,
        references: named.reference ? [...before.references, named.reference] : before.references,
      }));
      moveTo(next.caret);
    },
  });

  const moveTo = (place: number) => {
    setCaret(place);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(place, place);
    });
  };
  const followCaret = () => {
    const field = input.current;
    setCaret(field && document.activeElement === field && field.selectionStart === field.selectionEnd ? field.selectionStart : undefined);
  };
  const insert = (sign: string) => {
    const field = input.current;
    const [from, to] = field ? [field.selectionStart, field.selectionEnd] : [text.length, text.length];
    onDraft({ text: text.slice(0, from) + sign + text.slice(to) });
    moveTo(from + sign.length);
  };

  const value = text.trim();
  const left = maxTextLength - value.length;
  const ready = left >= 0 && !files.busy && (value !== "" || (!editing && draft.attachments.length > 0));
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready || editing?.isPending) return;
    const named = {
      mentions: namesInText(value, draft.mentions, ({ memberId }) => memberId),
      references: namesInText(value, draft.references, ({ kind, recordId }) => `${kind} ${recordId}`).map(({ kind, recordId, text }) => ({
        kind,
        recordId,
        text,
      })),
    };
    input.current?.focus();
    if (!editing) {
      onDraft(emptyDraft);
      return onSend({ ...draft, ...named, text: value });
    }
    if (value === editing.value) return editing.stop();
    editing.save({ value, ...named });
  };
  const stop = () => {
    editing?.stop();
    input.current?.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (suggestions.onKeyDown(event)) return;
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey && !event.nativeEvent.isComposing;
    if (event.key === "Enter" && plain) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape" && editing) {
      event.preventDefault();
      event.stopPropagation();
      stop();
    } else if (event.key === "ArrowUp" && plain && text === "" && !editing && onEditLast()) event.preventDefault();
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    // A copied table also contains a picture of itself; its text is meant.
    if (pasted.length === 0 || editing || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    files.take(pasted);
  };

  return (
    <form onSubmit={submit} className="relative border-t border-line">
      {suggestions.open && (
        <div className="absolute inset-x-2 bottom-full z-10 mb-1.5 flex max-h-72 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-panel">
          <ChoiceList choices={suggestions.choices} label={suggestions.label} className="min-h-0 overflow-y-auto p-1.5" />
        </div>
      )}
      {editing && (
        <div className="flex items-center gap-2 pt-2 pr-2.5 pl-4">
          <p className="min-w-0 flex-1 truncate text-sm text-accent">{labels.edit}</p>
          <IconButton label={t("ui.action.cancel")} icon={X} size="sm" onClick={stop} />
        </div>
      )}
      {editing?.isKept && editing.error == null && (
        <p role="status" className="px-4 pt-2 text-sm text-soft">
          {t("ui.form.restored")}
        </p>
      )}
      {editing?.error != null && (
        <p role="alert" className="px-4 pt-2 text-sm text-bad">
          <b className="block font-medium">{t("ui.form.notSaved")}</b>
          {errorText(editing.error)}
        </p>
      )}
      {!editing && (
        <UploadChips
          attachments={draft.attachments}
          uploads={files.uploads}
          onRemove={(one) => onDraft(({ attachments }) => ({ attachments: attachments.filter((other) => other !== one) }))}
          onCancel={files.cancel}
        />
      )}
      {left < warnRemaining && (
        <p id={note} role={left < 0 ? "alert" : undefined} className={cx("px-4 pt-2 text-sm", left < 0 ? "text-bad" : "text-muted")}>
          {left < 0 ? t("ui.chat.tooLong") : t("ui.chat.lettersLeft", { count: left, number: formatNumber(left) })}
        </p>
      )}
      <div className="flex items-end gap-1 p-2.5">
        {!editing && (
          <IconButton
            label={t("ui.chat.attach")}
            icon={Paperclip}
            onClick={() => picker.current?.click()}
            className="!size-9 !rounded-lg"
          />
        )}
        <textarea
          ref={input}
          rows={1}
          aria-label={editing ? labels.edit : labels.write}
          placeholder={labels.write}
          aria-describedby={left < warnRemaining ? note : undefined}
          {...suggestions.field}
          // What is typed while the text before is being saved would be lost when the field closes.
          readOnly={editing?.isPending}
          value={text}
          onChange={(event) => {
            onDraft({ text: event.target.value });
            setCaret(event.target.selectionStart);
            if (event.target.value.trim() !== "" && !editing) onTyping?.();
          }}
          onKeyDown={key}
          onSelect={followCaret}
          onBlur={() => setCaret(undefined)}
          onPaste={paste}
          className="touchable field-sizing-content max-h-40 min-h-9 min-w-0 flex-1 resize-none rounded-lg bg-transparent px-1.5 py-2 pointer-coarse:py-3 placeholder:text-muted focus-visible:outline-2 focus-visible:outline-primary"
        />
        <EmojiButton
          onPick={insert}
          button={(attributes) => (
            <IconButton {...attributes} label={t("ui.chat.addEmoji")} icon={Smile} className="!size-9 !rounded-lg max-sm:hidden" />
          )}
        />
        <button
          type="submit"
          aria-label={editing ? t("ui.action.save") : labels.send}
          disabled={!ready}
          className="touchable ml-1 grid size-9 shrink-0 place-items-center rounded-control bg-primary text-on-primary transition-colors hover:bg-primary-hover disabled:opacity-50"
        >
          <SendHorizontal aria-hidden size={18} />
        </button>
      </div>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        onChange={(event) => {
          files.take([...(event.target.files ?? [])]);
          event.target.value = "";
          input.current?.focus();
        }}
      />
    </form>
  );
}
