import { memo, useId, useState } from "react";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { useTranslation } from "react-i18next";
import { Icon, type IconName, iconNames } from "@/components/icon";
import { SearchField } from "@/components/search-field";
import { fold } from "@/lib/fold";

const isOffered = (name: string): name is IconName => (iconNames as readonly string[]).includes(name);

/**
 * A choice of an icon: searched by its name in the member's language, or reached with the arrow keys. Memoized, so that
 * it does not render at each letter typed in the form around it.
 */
export const IconPicker = memo(function IconPicker({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const { t } = useTranslation();
  const label = useId();
  const [text, setText] = useState("");
  const nameOf = (name: string) => (isOffered(name) ? t(`ui.icons.${name}`) : name);
  const all: readonly string[] = isOffered(value) ? iconNames : [value, ...iconNames];
  const wanted = fold(text.trim());
  const found = all.filter((name) => fold(nameOf(name)).includes(wanted) || name.includes(wanted)).map((name) => ({ id: name }));
  return (
    <div className="min-w-0">
      <p id={label} className="mb-1.5 text-sm font-medium text-gray-700">
        {t("ui.shortcuts.icon")}
        <span aria-hidden className="text-bad">
          {" *"}
        </span>
      </p>
      <div className="overflow-hidden rounded-control border border-line-strong">
        <div className="flex items-center gap-2 max-sm:flex-wrap border-b border-line p-1.5">
          <span className="flex min-w-0 flex-1 items-center gap-2 pl-1 font-medium text-ink">
            <span className="grid size-8 shrink-0 place-items-center rounded-lg bg-tint text-on-tint">
              <Icon name={value} size={18} />
            </span>
            <span className="min-w-0 truncate">{nameOf(value)}</span>
          </span>
          <SearchField label={t("ui.shortcuts.findIcon")} value={text} onChange={setText} className="shrink-0 max-sm:w-full sm:w-40" />
        </div>
        <ListBox
          aria-labelledby={label}
          layout="grid"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[value]}
          onSelectionChange={(keys) => {
            const [name] = keys === "all" ? [] : [...keys];
            if (name !== undefined) onChange(String(name));
          }}
          items={found}
          renderEmptyState={() => <p className="col-span-full px-2 py-3 text-muted">{t("ui.search.none")}</p>}
          className="grid h-31 grid-cols-8 content-start gap-1 overflow-y-auto p-1.5 outline-none"
        >
          {({ id }) => (
            <ListBoxItem
              id={id}
              textValue={nameOf(id)}
              aria-label={nameOf(id)}
              className="grid aspect-square cursor-pointer place-items-center rounded-lg text-soft hover:bg-hover selected:bg-tint selected:text-on-tint focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary"
            >
              <Icon name={id} size={18} />
            </ListBoxItem>
          )}
        </ListBox>
      </div>
    </div>
  );
});
