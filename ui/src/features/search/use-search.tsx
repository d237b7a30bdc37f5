import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { type ChoiceGroup, useChoices } from "@/components/choices";
import { isInAppPath } from "@/lib/links";
import { takeTypeAhead } from "@/lib/type-ahead-buffer";
import { useResults } from "./data";
import { HitRow } from "./hit-row";

export interface SearchOptions {
  /** Goes before what the server finds, such as commands. */
  before?: (text: string) => ChoiceGroup[];
  /** Goes after it. */
  after?: (text: string) => ChoiceGroup[];
  /** Whether the server is asked at all. */
  finds?: boolean;
  /** One of the results is being gone to. */
  onFollow: () => void;
  /** Takes the focus at once. */
  takesFocus?: boolean;
}

const none = () => [];

/** What both appearances of the search have in common: a text, what it finds, and the keys. */
export function useSearch({ before = none, after = none, finds = true, onFollow, takesFocus }: SearchOptions) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  /** The text for which Enter was pressed before its results were there. */
  const [eager, setEager] = useState<string>();
  const { query, sets, error, partial, current } = useResults(finds ? text : "");

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
  /** Whether what is chosen is what this text means: not yet, while something may still come before it. */
  const ready = active !== undefined && (current || first.some((group) => group.choices.includes(active)));

  useEffect(() => {
    if (!takesFocus) return;
    if (document.activeElement !== input.current) input.current?.focus();
    const early = takeTypeAhead();
    if (!early.text) return;
    setText((typed) => early.text + typed);
    if (early.entered) setEager(early.text);
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
    error,
    /** Whether there is an answer to show. */
    answered: query !== "" && (sets !== undefined || error !== null),
    current,
    /** Whether there may be more than what was found. */
    partial,
    /** What a screen reader says of the answer. */
    spoken: query !== "" && current && count > 0 ? t("ui.search.found", { count }) : "",
    /** Arrows and Enter; Enter before the results are there goes to the first as soon as they are. */
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
