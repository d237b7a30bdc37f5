import { Pencil } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Shortcut } from "@/api/schema";
import { Icon } from "@/components/icon";
import { draggedClass, OrderHandle, OrderMenu, useOrder } from "@/components/order-handle";
import { SafeLink } from "@/components/safe-link";
import { cx } from "@/lib/cx";

const grid = "grid grid-cols-2 [&>li]:-mr-px [&>li]:border-r [&>li]:border-b [&>li]:border-hover";
const cell =
  "group/cell flex h-full w-full flex-col items-center gap-0.5 px-3 py-6 text-center hover:bg-sunken focus-visible:-outline-offset-2";

function Face({ shortcut, editing }: { shortcut: Shortcut; editing: boolean }) {
  return (
    <>
      <span className="mb-2.5 grid size-12 place-items-center rounded-full bg-hover text-soft">
        {editing ? (
          <>
            {/* On touch screens, only the pencil shows that a press edits. */}
            <Icon
              name={shortcut.icon}
              size={22}
              className="hidden [@media(hover:hover)]:block [@media(hover:hover)]:group-hover/cell:hidden [@media(hover:hover)]:group-focus-visible/cell:hidden"
            />
            <Pencil
              aria-hidden
              size={20}
              className="[@media(hover:hover)]:hidden [@media(hover:hover)]:group-hover/cell:block [@media(hover:hover)]:group-focus-visible/cell:block"
            />
          </>
        ) : (
          <Icon name={shortcut.icon} size={22} />
        )}
      </span>
      <span dir="auto" className="line-clamp-2 w-full font-medium text-ink [overflow-wrap:anywhere]">
        {shortcut.label}
      </span>
      {shortcut.description && (
        <span dir="auto" className="line-clamp-2 w-full text-sm text-muted [overflow-wrap:anywhere]">
          {shortcut.description}
        </span>
      )}
    </>
  );
}

/** Shortcuts as links. */
export function ShortcutLinks({ list, onFollow }: { list: Shortcut[]; onFollow: () => void }) {
  return (
    <ul className={grid}>
      {list.map((shortcut) => (
        <li key={shortcut.id}>
          <SafeLink link={shortcut.link} useRouter={shortcut.useRouter} className={cell} onClick={onFollow}>
            <Face shortcut={shortcut} editing={false} />
          </SafeLink>
        </li>
      ))}
    </ul>
  );
}

export interface ShortcutEditorProps {
  list: Shortcut[];
  onEdit: (shortcut: Shortcut) => void;
  onOrder: (ids: string[]) => void;
}

/** Shortcuts to edit and order. */
export function ShortcutEditor({ list, onEdit, onOrder }: ShortcutEditorProps) {
  const { t } = useTranslation();
  const ordering = useOrder({
    ids: list.map(({ id }) => id),
    columns: 2,
    nameOf: (id) => list.find((one) => one.id === id)?.label ?? "",
    onOrder,
  });
  return (
    <>
      <ul className={grid}>
        {list.map((shortcut) => (
          <li
            key={shortcut.id}
            {...ordering.item(shortcut.id)}
            className={cx("relative", ordering.dragged === shortcut.id && cx(draggedClass, "ring-inset"))}
          >
            <button
              type="button"
              data-edit={shortcut.id}
              aria-label={t("ui.shortcuts.editNamed", { label: shortcut.label })}
              className={cell}
              onClick={() => onEdit(shortcut)}
            >
              <Face shortcut={shortcut} editing />
            </button>
            {list.length > 1 && <OrderHandle ordering={ordering} id={shortcut.id} className="absolute top-1.5 right-1.5" />}
          </li>
        ))}
      </ul>
      <OrderMenu ordering={ordering} />
    </>
  );
}
