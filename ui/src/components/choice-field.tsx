import { ChevronDown, CircleAlert } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { ComboBox } from "react-aria-components/ComboBox";
import { Label } from "react-aria-components/Label";
import { ListBoxItem } from "react-aria-components/ListBox";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { ChoiceInput } from "./choice-input";
import { ChoicePopover } from "./choice-popover";
import { fieldButtonClass } from "./field";

export interface ChoiceFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** `note` is shown below the label. */
  options: { value: string; label: string; note?: string }[];
  error?: string | undefined;
  hint?: string | undefined;
  hideLabel?: boolean;
}

/** A combobox: one of many choices, filtered by typing. */
export function ChoiceField({ label, value, onChange, options, error, hint, hideLabel }: ChoiceFieldProps) {
  return (
    <ComboBox
      defaultItems={options}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      defaultFilter={(text, typed) => fold(text).includes(fold(typed.trim()))}
      menuTrigger="manual"
      allowsEmptyCollection
      isInvalid={error !== undefined}
      className="min-w-0"
    >
      <Label className={hideLabel ? "sr-only" : "mb-1.5 block text-sm font-medium text-gray-700"}>{label}</Label>
      <div className="relative">
        <ChoiceInput className="pr-10 pointer-coarse:pr-11" />
        <Button className={cx(fieldButtonClass, "top-1.75 right-1.5 size-7 pointer-coarse:right-0")}>
          <ChevronDown aria-hidden size={16} />
        </Button>
      </div>
      {error ? (
        <p className="mt-1.5 flex gap-1.5 text-sm text-bad">
          <CircleAlert aria-hidden size={16} className="mt-0.5" />
          {error}
        </p>
      ) : (
        hint && <p className="mt-1.5 text-sm text-muted">{hint}</p>
      )}
      <ChoicePopover>
        {(option: ChoiceFieldProps["options"][number]) => (
          <ListBoxItem
            id={option.value}
            textValue={option.label}
            className="flex min-h-9 cursor-pointer items-center rounded-lg px-2.5 py-1.5 outline-none focus:bg-hover focus-visible:highlight selected:font-medium selected:text-ink"
          >
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {option.label}
              {option.note && <span className="block text-xs font-normal text-muted">{option.note}</span>}
            </span>
          </ListBoxItem>
        )}
      </ChoicePopover>
    </ComboBox>
  );
}
