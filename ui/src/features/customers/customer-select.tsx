import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, X } from "lucide-react";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { ComboBox } from "react-aria-components/ComboBox";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBoxItem } from "react-aria-components/ListBox";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { ChoicePopover } from "@/components/choice-popover";
import { inputClass } from "@/components/field";
import { cx } from "@/lib/cx";
import { useDebounced } from "@/lib/use-debounced";
import { customerChoiceQuery, customerQuery } from "./data";

export interface CustomerSelectProps {
  label: string;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
  isDisabled?: boolean;
}

/** A choice of one customer, searched by typing. */
export function CustomerSelect({ label, value, onChange, isDisabled = false }: CustomerSelectProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: chosen } = useQuery({ ...customerQuery(value ?? ""), enabled: value !== undefined });
  const [typed, setTyped] = useState<string | undefined>();
  const text = typed ?? (value ? (chosen?.name ?? "") : "");
  const rested = useDebounced(typed?.trim() ?? "", 250);
  const { data: found } = useQuery(customerChoiceQuery(rested));
  return (
    <ComboBox
      items={found?.items ?? []}
      inputValue={text}
      selectedKey={value ?? null}
      isDisabled={isDisabled}
      menuTrigger="focus"
      allowsEmptyCollection
      onInputChange={setTyped}
      onSelectionChange={(key) => {
        setTyped(undefined);
        if (key === null) return;
        const picked = found?.items.find((customer) => customer.id === key);
        // Cached at once: if the name loaded later, the list would open again.
        if (picked) client.setQueryData(customerQuery(picked.id).queryKey, picked);
        onChange(String(key));
      }}
      onOpenChange={(open) => !open && setTyped(undefined)}
      className="min-w-0"
    >
      <Label className="mb-1.5 block text-sm font-medium text-gray-700">{label}</Label>
      <div className="relative">
        <Input className={cx(inputClass, "pr-18")} onFocus={(event) => event.currentTarget.select()} placeholder={t("ui.list.none")} />
        {value && !isDisabled && (
          <button
            type="button"
            aria-label={t("ui.list.clearFilter", { label })}
            onClick={() => {
              setTyped(undefined);
              onChange(undefined);
            }}
            className="absolute top-1.75 right-9 grid size-7 place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink"
          >
            <X aria-hidden size={16} />
          </button>
        )}
        <Button className="absolute top-1.75 right-1.5 grid size-7 cursor-pointer place-items-center rounded-lg text-muted hover:bg-hover">
          <ChevronDown aria-hidden size={16} />
        </Button>
      </div>
      <ChoicePopover>
        {(customer: { id: string; name: string; avatar?: string; details: { company?: string } }) => (
          <ListBoxItem
            id={customer.id}
            textValue={customer.name}
            className="flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none focus:bg-hover"
          >
            <Avatar name={customer.name} src={customer.avatar} size={28} />
            <span className="min-w-0">
              <span className="block truncate">{customer.name}</span>
              {customer.details.company && <span className="block truncate text-xs text-muted">{customer.details.company}</span>}
            </span>
          </ListBoxItem>
        )}
      </ChoicePopover>
    </ComboBox>
  );
}
