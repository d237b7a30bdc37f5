import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { cx } from "@/lib/cx";

export interface Choice {
  id: string;
  content: ReactNode;
  run: () => void;
}

export interface ChoiceGroup {
  id: string;
  label: string;
  choices: Choice[];
}

export interface Choices {
  groups: ChoiceGroup[];
  active: Choice | undefined;
  list: string;
  choose: (id: string) => void;
  /** Attributes for the field above the list: it keeps the focus and names the current choice. */
  field: {
    "aria-controls": string | undefined;
    "aria-activedescendant": string | undefined;
    "aria-autocomplete": "list";
  };
  /** Arrows move, Enter chooses; returns whether it handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean;
  ref: RefObject<HTMLDivElement | null>;
}

/**
 * Manages choices below a text field: the first is preselected, again whenever the text changes. The field keeps the
 * focus.
 */
export function useChoices(groups: ChoiceGroup[], words: string): Choices {
  const list = useId();
  const ref = useRef<HTMLDivElement>(null);
  const [meant, setMeant] = useState({ id: "", words });
  const all = groups.flatMap(({ choices }) => choices);
  const found = meant.words === words ? all.findIndex(({ id }) => id === meant.id) : -1;
  const at = Math.max(found, 0);
  const active = all[at];
  const choose = (id: string) => setMeant({ id, words });

  const go = (to: number) => {
    const next = all[(to + all.length) % all.length];
    if (next) choose(next.id);
  };
  useEffect(() => {
    const option = active && document.getElementById(`${list}-${active.id}`);
    // The first choice also scrolls its group's heading into view.
    if (at === 0) ref.current?.scrollTo?.({ top: 0 });
    else option?.scrollIntoView({ block: "nearest" });
  }, [active, at, list]);

  return {
    groups,
    active,
    list,
    choose,
    ref,
    field: {
      "aria-controls": active ? list : undefined,
      "aria-activedescendant": active && `${list}-${active.id}`,
      "aria-autocomplete": "list",
    },
    onKeyDown: (event) => {
      if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey || !active) return false;
      if (event.key === "ArrowDown") go(at + 1);
      else if (event.key === "ArrowUp") go(at - 1);
      else if (event.key === "PageDown") go(Math.min(at + 6, all.length - 1));
      else if (event.key === "PageUp") go(Math.max(at - 6, 0));
      else if (event.key === "Enter") active.run();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

/** The list that belongs to `useChoices`. */
export function ChoiceList({ choices, label, className }: { choices: Choices; label: string; className?: string }) {
  const { groups, active, list, choose, ref } = choices;
  return (
    <div ref={ref} id={list} role="listbox" aria-label={label} className={className}>
      {groups.map((group) => (
        <div key={group.id} role="group" aria-labelledby={`${list}--${group.id}`} className="pb-2 last:pb-0">
          <div
            id={`${list}--${group.id}`}
            role="presentation"
            className="px-3 pt-2 pb-1.5 text-xs font-semibold tracking-[.06em] text-muted uppercase"
          >
            {group.label}
          </div>
          {group.choices.map((choice) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
            <div
              key={choice.id}
              id={`${list}-${choice.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={choice === active}
              onPointerMove={() => choice !== active && choose(choice.id)}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={choice.run}
              className={cx(
                "flex min-h-11 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5",
                choice === active && "highlight text-ink",
              )}
            >
              {choice.content}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
