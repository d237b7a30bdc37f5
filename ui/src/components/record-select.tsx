import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowUpRight, ChevronDown, X } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ComboBox } from "react-aria-components/ComboBox";
import { Label } from "react-aria-components/Label";
import { ListBoxItem } from "react-aria-components/ListBox";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { cx } from "@/lib/cx";
import { minSearchLength } from "@/lib/search-params";
import { useDebounced } from "@/lib/use-debounced";
import { type CreatedKind, pathOfKind, recordKinds } from "@/records/kinds";
import { matchesQuery, type RecordMatch, titleQuery } from "@/records/record-titles";
import { Avatar } from "./avatar";
import { ChoiceError } from "./choice-error";
import { ChoiceInput } from "./choice-input";
import { ChoicePopover } from "./choice-popover";
import { fieldButtonClass } from "./field";

export interface RecordSelectProps {
  kind: CreatedKind;
  label: string;
  hideLabel?: boolean;
  /** What is shown without a record, where the kind does not say it in the words of the field. */
  placeholder?: string | undefined;
  value: string | null | undefined;
  /** Receives null for none. */
  onChange: (id: string | null) => void;
  isDisabled?: boolean;
  error?: string | undefined;
}

/** A choice of one record of a kind, searched by typing. The records are read once the choice is opened. */
export function RecordSelect({ kind, label, hideLabel, placeholder, value, onChange, isDisabled = false, error }: RecordSelectProps) {
  const { t, i18n } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const client = useQueryClient();
  const { data: title, isError } = useQuery({ ...titleQuery(kind, value ?? ""), enabled: Boolean(value) });
  const [typed, setTyped] = useState<string | undefined>();
  const [isAsked, setAsked] = useState(false);
  const shown = value ? (title ?? (isError ? t("ui.fields.gone") : "")) : "";
  const rested = useDebounced(typed?.trim() ?? "", 250);
  // One letter finds nothing.
  const words = rested.length < minSearchLength ? "" : rested;
  const { data: found, isPending } = useQuery({ ...matchesQuery(kind, words), enabled: isAsked });
  return (
    <ComboBox
      items={found ?? []}
      inputValue={typed ?? shown}
      selectedKey={value ?? null}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      menuTrigger="manual"
      allowsEmptyCollection
      onInputChange={setTyped}
      onSelectionChange={(key) => {
        setTyped(undefined);
        // Escape also reports the value, unchanged.
        if (key === null || key === value) return;
        const picked = found?.find(({ id }) => id === key);
        // Cached at once, so that the field shows the title without waiting.
        if (picked) client.setQueryData(titleQuery(kind, picked.id).queryKey, picked.title);
        onChange(String(key));
      }}
      onOpenChange={(open) => {
        if (open) setAsked(true);
        else setTyped(undefined);
      }}
      className="min-w-0"
    >
      <Label className={hideLabel ? "sr-only" : "mb-1.5 block text-sm font-medium text-gray-700"}>{label}</Label>
      <div ref={box} className="relative">
        <ChoiceInput
          className={title ? "pr-26 pointer-coarse:pr-33" : value ? "pr-18 pointer-coarse:pr-22" : "pr-18 pointer-coarse:pr-11"}
          placeholder={placeholder ?? t(`ui.records.none.${kind}`)}
        />
        {value && title && (
          <Link
            to={`${pathOfKind(kind)}/${value}`}
            aria-label={t("ui.records.open", { title })}
            className={cx(fieldButtonClass, "top-1.75 right-17 size-7 pointer-coarse:right-22")}
          >
            <ArrowUpRight aria-hidden size={16} />
          </Link>
        )}
        {value && !isDisabled && (
          <button
            type="button"
            aria-label={t("ui.action.clearNamed", { name: label.toLocaleLowerCase(i18n.language) })}
            onClick={() => {
              setTyped(undefined);
              onChange(null);
              box.current?.querySelector("input")?.focus();
            }}
            className={cx(fieldButtonClass, "top-1.75 right-9 size-7 pointer-coarse:right-11")}
          >
            <X aria-hidden size={16} />
          </button>
        )}
        <Button className={cx(fieldButtonClass, "top-1.75 right-1.5 size-7 pointer-coarse:right-0")}>
          <ChevronDown aria-hidden size={16} />
        </Button>
      </div>
      <ChoiceError error={error} />
      <ChoicePopover isBusy={isPending}>
        {({ id, title: name, subtitle, avatar }: RecordMatch) => (
          <ListBoxItem
            id={id}
            textValue={name}
            className="flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none pointer-coarse:min-h-11 focus:bg-hover focus-visible:highlight"
          >
            {recordKinds[kind].hasPicture && <Avatar name={name} src={avatar} size={28} />}
            <span className="min-w-0">
              <span className="block truncate">{name}</span>
              {subtitle && <span className="block truncate text-xs text-muted">{subtitle}</span>}
            </span>
          </ListBoxItem>
        )}
      </ChoicePopover>
    </ComboBox>
  );
}
