import { useQuery } from "@tanstack/react-query";
import { Check, LayoutGrid, Pencil, Plus } from "lucide-react";
import { type RefObject, useReducer } from "react";
import { useTranslation } from "react-i18next";
import type { Shortcut } from "@/api/schema";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Icon } from "@/components/icon";
import { IconButton } from "@/components/icon-button";
import { Panel } from "@/components/panel";
import { SafeLink } from "@/components/safe-link";
import { SkeletonRows } from "@/components/skeleton";
import { shortcutsQuery } from "./data";
import { step } from "./mode";
import { ShortcutForm } from "./shortcut-form";

export interface ShortcutsPanelProps {
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

const cell = "flex h-full w-full flex-col items-center gap-0.5 px-3 py-6 text-center hover:bg-sunken focus-visible:-outline-offset-2";

function Face({ shortcut, editing }: { shortcut: Shortcut; editing: boolean }) {
  return (
    <>
      <span className="mb-2.5 grid size-12 place-items-center rounded-full bg-hover text-soft">
        {editing ? <Pencil aria-hidden size={20} /> : <Icon name={shortcut.icon} size={22} />}
      </span>
      <span className="line-clamp-2 w-full font-medium text-ink">{shortcut.label}</span>
      {shortcut.description && <span className="line-clamp-2 w-full text-sm text-muted">{shortcut.description}</span>}
    </>
  );
}

/** A person's own links; opening it always begins with looking. */
export default function ShortcutsPanel(panel: ShortcutsPanelProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(shortcutsQuery);
  const [mode, act] = useReducer(step, { name: "view" });
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
          <IconButton {...action} label={t("ui.shortcuts.exitEdit")} icon={Check} onClick={() => act({ type: "done" })} />
        ) : (
          <>
            <IconButton {...action} label={t("ui.shortcuts.enterEdit")} icon={Pencil} onClick={() => act({ type: "modify" })} />
            <IconButton {...action} label={t("ui.shortcuts.addShortcut")} icon={Plus} onClick={() => act({ type: "add" })} />
          </>
        )
      }
      {...panel}
    >
      {form ? (
        <ShortcutForm
          shortcut={mode.name === "edit" ? mode.shortcut : undefined}
          onCancel={() => act({ type: "cancel" })}
          onSaved={() => act({ type: "saved" })}
        />
      ) : data && data.length > 0 ? (
        <ul className="grid grid-cols-2 [&>li]:-mr-px [&>li]:border-r [&>li]:border-b [&>li]:border-hover">
          {data.map((shortcut) => (
            <li key={shortcut.id}>
              {mode.name === "modify" ? (
                <button
                  type="button"
                  aria-label={t("ui.shortcuts.editNamed", { label: shortcut.label })}
                  className={cell}
                  onClick={() => act({ type: "edit", shortcut })}
                >
                  <Face shortcut={shortcut} editing />
                </button>
              ) : (
                <SafeLink link={shortcut.link} useRouter={shortcut.useRouter} className={cell} onClick={() => panel.onOpenChange(false)}>
                  <Face shortcut={shortcut} editing={false} />
                </SafeLink>
              )}
            </li>
          ))}
        </ul>
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
    </Panel>
  );
}
