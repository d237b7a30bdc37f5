import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { errorText } from "@/api/errors";
import { type ChoiceGroup, useChoices } from "@/components/choices";
import { isInAppPath } from "@/lib/links";
import { isSearchable, minSearchLength } from "@/lib/search-params";
import { takeTypeAhead } from "@/lib/type-ahead-buffer";
import { useResults } from "./data";
import { HitRow } from "./hit-row";

export interface SearchOptions {
  /** Choices before the server's results, such as commands. */
  before?: (text: string) => ChoiceGroup[];
  /** Choices after them. */
  after?: (text: string) => ChoiceGroup[];
  /** Whether the server is asked at all. */
  finds?: boolean;
  /** Called when a result is opened. */
  onFollow: () => void;
  /** Whether the field takes the focus at once. */
  takesFocus?: boolean;
}

const none = () => [];

/** The common part of both search appearances: text, results and keys. */
export function useSearch({ before = none, after = none, finds = true, onFollow, takesFocus }: SearchOptions) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  /** The text for which Enter was pressed before its results arrived. */
  const [eager, setEager] = useState<string>();
  const { query, isTooShort, sets, error, partial, current } = useResults(finds ? text : "");

  const found: ChoiceGroup[] = (sets ?? []).map((set) => ({
    id: `found-${set.id}`,
    label: set.label,
    choices: set.results.map((hit, at) => ({
      id: `${set.id}-${at}`,
      content: <HitRow kind={set.id} hit={hit} query={query} />,
      run: () => {
        onFollow();
        if (isInAppPath(hit.link)) void navigate(hit.link);
      },
    })),
  }));
  const first = before(text);
  const choices = useChoices([...first, ...found, ...after(text)], text);
  const { active } = choices;
  /** Whether the active choice is final for this text: not while results that precede it may still arrive. */
  const ready = active !== undefined && (current || first.some((group) => group.choices.includes(active)));

  // Before the browser can deliver the next key, whose text would replace the early one.
  useLayoutEffect(() => {
    if (!takesFocus) return;
    if (document.activeElement !== input.current) input.current?.focus();
    const early = takeTypeAhead();
    if (!early.text) return;
    setText((typed) => early.text + typed);
    if (early.entered) setEager(early.text);
  }, [takesFocus]);
  // An open drawer or dialog takes the focus back until the dialog of this field is known to lie above it.
  useEffect(() => {
    if (!takesFocus) return;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement !== input.current) input.current?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [takesFocus]);
  useEffect(() => {
    if (eager === undefined) return;
    if (eager !== text) setEager(undefined);
    else if (ready) {
      setEager(undefined);
      active.run();
    }
  }, [eager, text, ready, active]);

  const count = found.reduce((sum, group) => sum + group.choices.length, 0);
  return {
    text,
    setText,
    input,
    choices,
    /** What is said without a result. */
    note: error ? errorText(error) : finds && !isSearchable(text) ? t("ui.search.tooShort", { min: minSearchLength }) : t("ui.search.none"),
    error,
    /** Whether there is a response or a note to show. */
    answered: isTooShort || (query !== "" && (sets !== undefined || error !== null)),
    current,
    /** Whether results may be missing. */
    partial,
    /** The announcement for screen readers. */
    spoken: query !== "" && current && count > 0 ? t("ui.search.found", { count }) : "",
    /** Handles arrows and Enter; Enter before the results arrive opens the first as soon as they do. */
    onKeyDown: (event: KeyboardEvent): boolean => {
      if (event.key === "Enter" && !event.nativeEvent.isComposing && !ready) {
        event.preventDefault();
        setEager(text);
        return true;
      }
      return choices.onKeyDown(event);
    },
  };
}
