import { type LucideIcon, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { Menu, MenuItem, MenuPopover } from "./menu";

export interface FilterMenuProps {
  icon: LucideIcon;
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  options: { value: string; label: string; icon?: ReactNode }[];
}

/** A toolbar's filter: shows its value, and a button that clears it. */
export function FilterMenu({ icon: Icon, label, value, onChange, options }: FilterMenuProps) {
  const { t } = useTranslation();
  const { button, menu } = useMenuTrigger();
  const chosen = value === undefined ? undefined : (options.find((option) => option.value === value)?.label ?? value);
  return (
    <span
      className={cx(
        "inline-flex min-h-8.5 max-w-full items-center rounded-lg border text-sm font-medium shadow-control transition-colors duration-150",
        chosen ? "border-tint-line bg-tint-soft text-on-tint" : "border-line bg-surface text-gray-700 hover:bg-hover",
      )}
    >
      <button
        type="button"
        {...button}
        className={cx("touchable inline-flex min-w-0 items-center self-stretch gap-2 rounded-lg px-2.75", chosen && "pr-1.5")}
      >
        <Icon aria-hidden size={16} />
        <span className="truncate">{chosen ? t("ui.list.filterValue", { label, value: chosen }) : label}</span>
      </button>
      {chosen && (
        <button
          type="button"
          aria-label={t("ui.list.clearFilter", { label })}
          onClick={() => {
            onChange(undefined);
            menu.triggerRef.current?.focus();
          }}
          className="fingertip relative mr-1 grid size-6 shrink-0 place-items-center rounded-md hover:bg-tint"
        >
          <X aria-hidden size={14} />
        </button>
      )}
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom start" className="max-w-80">
          <Menu
            aria-label={label}
            selectionMode="single"
            selectedKeys={value === undefined ? [] : [value]}
            onSelectionChange={(keys) => {
              const key = keys === "all" ? undefined : [...keys][0];
              onChange(key === undefined ? undefined : String(key));
            }}
            className="max-h-80"
          >
            {options.map((option) => (
              <MenuItem key={option.value} id={option.value} textValue={option.label} icon={option.icon}>
                {option.label}
              </MenuItem>
            ))}
          </Menu>
        </MenuPopover>
      )}
    </span>
  );
}
