import { X } from "lucide-react";
import { useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTranslation } from "react-i18next";
import type { Choice, ChoiceGroup } from "@/components/choices";
import { IconButton } from "@/components/icon-button";
import { Marked } from "@/components/marked";
import { useDismissable } from "@/components/use-dismissable";
import { useUser } from "@/features/account/data";
import SearchBasic from "@/features/search/search-basic";
import { fold } from "@/lib/fold";
import { match } from "@/lib/match";
import { type Command, type CommandGroup, type Mode, useCommands } from "./palette-commands";
import { recentCommands, rememberCommand } from "./palette-recent";

/** Maximum number of commands shown while typing; a good match is among the first. */
const maxMatches = 8;
/** What recent use adds to the score of a match. */
const recentBonus = 30;
/** What it adds that the name of a screen begins with the text: more than recent use. */
const namedBonus = 50;
/** Recent commands that are listed before the others. */
const maxRecentShown = 5;

/** The command palette: opens screens and records, creates records and changes settings by typing. */
export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const isDismissable = useDismissable();
  const user = useUser();
  const commands = useCommands();
  const [mode, setMode] = useState<Mode>();
  const [recent] = useState(() => recentCommands(user.id));

  const run = (command: Command) => {
    if (command.opens) return setMode(command.opens);
    rememberCommand(user.id, command.id);
    onClose();
    command.run?.();
  };
  const choice = (command: Command, pieces = [{ text: command.title, hit: false }], id = command.id): Choice => ({
    id,
    run: () => run(command),
    content: (
      <>
        <span className="grid w-6 shrink-0 place-items-center text-muted">{command.icon}</span>
        <span dir="auto" className="min-w-0 flex-1 truncate">
          <Marked pieces={pieces} />
        </span>
        {command.within && <span className="shrink-0 truncate text-sm text-muted">{command.within}</span>}
        {command.isSet && <span className="shrink-0 text-sm text-muted">{t("ui.palette.current")}</span>}
      </>
    ),
  });
  const grouped = (list: Command[], group: CommandGroup): ChoiceGroup[] => {
    const choices = list.filter((command) => command.group === group).map((command) => choice(command));
    return choices.length > 0 ? [{ id: group, label: t(`ui.palette.groups.${group}`), choices }] : [];
  };

  /** Returns the commands that match the text, best first; equal ones are ordered by recent use. */
  const fitting = (list: Command[], text: string, group: CommandGroup | "commands", limit?: number): ChoiceGroup[] => {
    const choices = list
      .flatMap((command) => {
        const found = match(command.title, text, command.also);
        if (!found) return [];
        const rank = recent.indexOf(command.id);
        const isNamed = (command.group === "go" || command.group === "settings") && fold(command.title).startsWith(fold(text.trim()));
        const score = found.score + (rank < 0 ? 0 : recentBonus - rank) + (isNamed ? namedBonus : 0);
        return [{ command, pieces: found.pieces, score }];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ command, pieces }) => choice(command, pieces));
    return choices.length > 0 ? [{ id: group, label: t(`ui.palette.groups.${group}`), choices }] : [];
  };

  const before = (text: string): ChoiceGroup[] => {
    const offered = commands.filter((command) => command.mode === mode);
    if (text.trim() !== "") return fitting(offered, text, mode ?? "commands", mode ? undefined : maxMatches);
    if (mode) return grouped(offered, mode);
    const used = recent
      .flatMap((id) => commands.filter((command) => command.id === id))
      .slice(0, maxRecentShown)
      .map((command) => choice(command, undefined, `recent-${command.id}`));
    return [
      ...(used.length > 0 ? [{ id: "recent", label: t("ui.palette.groups.recent"), choices: used }] : []),
      ...(["go", "new", "settings", "switch", "app"] as const).flatMap((group) => grouped(offered, group)),
    ];
  };
  /** Choices such as layouts come last, so that a search for a name does not change a setting. */
  const after = (text: string): ChoiceGroup[] => {
    if (mode || text.trim() === "") return [];
    return (["layout", "scheme", "language"] as const).flatMap((one) =>
      fitting(
        commands.filter((command) => command.mode === one),
        text,
        one,
        maxMatches,
      ),
    );
  };

  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable={isDismissable}
      className="fixed inset-0 z-[999] bg-black/40 sm:p-6 sm:pt-[12dvh] entering:animate-fade"
    >
      <Modal className="mx-auto flex size-full flex-col overflow-hidden bg-surface text-body shadow-panel outline-none sm:h-auto sm:max-h-[min(34rem,76dvh)] sm:max-w-160 sm:rounded-2xl">
        <Dialog aria-label={t("ui.palette.title")} className="flex min-h-0 flex-1 flex-col outline-none">
          <SearchBasic
            key={mode ?? "all"}
            inline
            takesFocus
            finds={mode === undefined}
            before={before}
            after={after}
            onClose={onClose}
            onBack={mode && (() => setMode(undefined))}
            placeholder={mode ? t(`ui.palette.choose.${mode}`) : t("ui.palette.placeholder")}
            lead={
              mode && (
                <span className="shrink-0 rounded-md bg-tint px-2 py-0.5 text-sm font-medium text-on-tint">
                  {t(`ui.palette.groups.${mode}`)}
                </span>
              )
            }
            end={
              <>
                <button
                  type="button"
                  onClick={onClose}
                  aria-label={t("ui.palette.close")}
                  className="shrink-0 rounded-md border border-line-strong bg-sunken px-1.5 py-0.5 text-xs font-semibold text-soft hover:text-ink max-sm:hidden"
                >
                  {t("ui.palette.escape")}
                </button>
                <IconButton label={t("ui.action.close")} icon={X} size="sm" onClick={onClose} className="sm:hidden" />
              </>
            }
            onFollow={onClose}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
