import { useQuery } from "@tanstack/react-query";
import { Check, LayoutGrid, Pencil, Plus } from "lucide-react";
import { type RefObject, useEffect, useReducer, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Panel } from "@/components/panel";
import { SkeletonRows } from "@/components/skeleton";
import { shortcutsQuery, useOrderShortcuts } from "./data";
import { type Mode, step } from "./mode";
import { ShortcutForm } from "./shortcut-form";
import { ShortcutEditor, ShortcutLinks } from "./shortcut-grid";

export interface ShortcutsPanelProps {
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Focuses the button that corresponds to the one pressed in the previous mode. */
function useFocusByMode(mode: Mode) {
  const box = useRef<HTMLDivElement>(null);
  const modify = useRef<HTMLButtonElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const done = useRef<HTMLButtonElement>(null);
  const before = useRef(mode);
  useEffect(() => {
    const from = before.current;
    before.current = mode;
    if (from.name === mode.name) return;
    if (mode.name === "view") (from.name === "add" ? add : modify).current?.focus();
    if (mode.name !== "modify") return;
    const edited = from.name === "edit" && box.current?.querySelector<HTMLElement>(`[data-edit="${from.shortcut.id}"]`);
    (edited || done.current)?.focus();
  }, [mode]);
  return { box, modify, add, done };
}

/** The member's own links; the panel always opens in view mode. */
export default function ShortcutsPanel(panel: ShortcutsPanelProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(shortcutsQuery);
  const order = useOrderShortcuts();
  const [mode, act] = useReducer(step, { name: "view" });
  const focus = useFocusByMode(mode);
  const form = mode.name === "add" || mode.name === "edit";
  const title =
    mode.name === "add" ? t("ui.shortcuts.titleAdd") : mode.name === "edit" ? t("ui.shortcuts.titleEdit") : t("ui.shortcuts.title");
  const action = { size: "sm", tone: "inverse" } as const;
  return (
    <Panel
      title={title}
      tall={form}
      actions={
        form ? null : mode.name === "modify" ? (
          <IconButton {...action} ref={focus.done} label={t("ui.shortcuts.exitEdit")} icon={Check} onClick={() => act({ type: "done" })} />
        ) : (
          <>
            <IconButton
              {...action}
              ref={focus.modify}
              label={t("ui.shortcuts.enterEdit")}
              icon={Pencil}
              onClick={() => act({ type: "modify" })}
            />
            <IconButton
              {...action}
              ref={focus.add}
              label={t("ui.shortcuts.addShortcut")}
              icon={Plus}
              onClick={() => act({ type: "add" })}
            />
          </>
        )
      }
      {...panel}
    >
      <div ref={focus.box}>
        {form ? (
          <ShortcutForm
            shortcut={mode.name === "edit" ? mode.shortcut : undefined}
            onCancel={() => act({ type: "cancel" })}
            onSaved={() => act({ type: "saved" })}
          />
        ) : data && data.length > 0 ? (
          mode.name === "modify" ? (
            <ShortcutEditor list={data} onEdit={(shortcut) => act({ type: "edit", shortcut })} onOrder={(ids) => order.mutate(ids)} />
          ) : (
            <ShortcutLinks list={data} onFollow={() => panel.onOpenChange(false)} />
          )
        ) : data ? (
          <EmptyState
            icon={LayoutGrid}
            title={t("ui.shortcuts.empty")}
            text={t("ui.shortcuts.emptyText")}
            action={
              mode.name === "view" && (
                <Button size="sm" icon={Plus} onClick={() => act({ type: "add" })}>
                  {t("ui.shortcuts.addShortcut")}
                </Button>
              )
            }
          />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows className="p-4.5" />
        )}
      </div>
    </Panel>
  );
}
