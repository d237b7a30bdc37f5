import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Mention, RecordReferenceInput } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { type Choice, type ChoiceGroup, useChoices } from "@/components/choices";
import { Marked } from "@/components/marked";
import { markMatches, match } from "@/lib/match";
import { useDebounced } from "@/lib/use-debounced";
import { createdKinds, recordKinds } from "@/records/kinds";
import { referableQuery } from "./data";
import { type MentionTrigger, mentionTriggerAt } from "./mention-trigger";

/** Maximum number of suggestions. */
const maxSuggestions = 8;

export type Named = { mention: Mention; reference?: never } | { reference: RecordReferenceInput; mention?: never };

/** A member who can be mentioned. */
export interface Mentionable {
  id: string;
  name: string;
  avatar?: string | null | undefined;
}

export interface SuggestionOptions {
  people: Mentionable[];
  text: string;
  /** The caret's position; undefined without focus or with a selection. */
  caret: number | undefined;
  /** The names in the text that were chosen already. */
  named: string[];
  onName: (naming: MentionTrigger, name: string, named: Named) => void;
}

/** Suggests colleagues and records for the name that is being typed. */
export function useSuggestions({ people, text, caret, named, onName }: SuggestionOptions) {
  const { t } = useTranslation();
  /** The index of the sign whose list was closed. */
  const [away, setAway] = useState<number>();
  const naming = caret === undefined ? undefined : mentionTriggerAt(text, caret);
  // The list can open again for the next name.
  if (!naming && away !== undefined) setAway(undefined);
  const isNamed = naming && named.includes(`${naming.sign}${naming.query.trimEnd()}`);
  const wanted = naming && naming.start !== away && !isNamed ? naming : undefined;
  const isRecord = wanted?.sign === "#";
  const words = useDebounced(isRecord ? wanted.query.trim() : "", 200);
  const { data: found } = useQuery({
    ...referableQuery(words),
    enabled: isRecord && words.length >= 2,
    placeholderData: (before) => before,
  });

  const name = (value: string, named: Named) => {
    if (!wanted) return;
    setAway(wanted.start);
    onName(wanted, value, named);
  };
  const members = (): ChoiceGroup[] => {
    if (wanted?.sign !== "@") return [];
    const choices = people
      .flatMap((person) => {
        const fits = match(person.name, wanted.query);
        return fits ? [{ person, ...fits }] : [];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, maxSuggestions)
      .map(({ person, pieces }): Choice => {
        const value = `@${person.name}`;
        return {
          id: person.id,
          run: () => name(value, { mention: { memberId: person.id, text: value } }),
          content: (
            <>
              <Avatar name={person.name} src={person.avatar} size={28} />
              <span dir="auto" className="min-w-0 truncate">
                <Marked pieces={pieces} />
              </span>
            </>
          ),
        };
      });
    return choices.length > 0 ? [{ id: "members", label: t("ui.chat.members"), choices }] : [];
  };
  const records = (): ChoiceGroup[] => {
    if (!wanted || !isRecord) return [];
    return createdKinds.flatMap(({ kind, name: label }): ChoiceGroup[] => {
      const { icon: Icon } = recordKinds[kind];
      const choices = (found ?? [])
        .filter((one) => one.kind === kind && match(one.title, wanted.query, one.subtitle))
        .slice(0, 4)
        .map(({ recordId, title, subtitle }): Choice => {
          const value = `#${title.trim().replace(/\s+/g, " ")}`;
          return {
            id: `${kind}-${recordId}`,
            run: () => name(value, { reference: { kind, recordId, text: value } }),
            content: (
              <>
                <Icon aria-hidden size={18} className="shrink-0 text-muted" />
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  <Marked pieces={markMatches(title, wanted.query)} />
                </span>
                {subtitle && (
                  <span dir="auto" className="max-w-[40%] shrink-0 truncate text-sm text-muted">
                    {subtitle}
                  </span>
                )}
              </>
            ),
          };
        });
      return choices.length > 0 ? [{ id: kind, label: t(`navigation.${label}`), choices }] : [];
    });
  };

  const choices = useChoices([...members(), ...records()], `${wanted?.sign}${wanted?.query}`);
  const open = wanted !== undefined && choices.active !== undefined;
  return {
    open,
    choices,
    label: t(isRecord ? "ui.chat.records" : "ui.chat.members"),
    /** Attributes of the field: a combobox while there are suggestions. */
    field: open
      ? ({ role: "combobox", "aria-expanded": true, "aria-haspopup": "listbox", ...choices.field } as const)
      : ({ "aria-autocomplete": "list" } as const),
    onKeyDown: (event: KeyboardEvent): boolean => {
      if (!open || event.nativeEvent.isComposing || event.shiftKey) return false;
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        setAway(wanted.start);
        return true;
      }
      if (event.key === "Tab") {
        event.preventDefault();
        choices.active?.run();
        return true;
      }
      return choices.onKeyDown(event);
    },
  };
}
