import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select as Root, SelectValue } from "react-aria-components/Select";
import { cx } from "@/lib/cx";
import { ChoiceError } from "./choice-error";
import { inputClass } from "./field";

export interface SelectProps<T extends string> {
  label: string;
  hideLabel?: boolean;
  value: T | null;
  onChange: (value: T) => void;
  options: { value: T; label: string; icon?: ReactNode }[];
  placeholder?: string;
  size?: "sm" | "md";
  className?: string;
  isDisabled?: boolean;
  error?: string | undefined;
  /** Whether the list is open at first. */
  defaultOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
}

/** A choice from a list. */
export function Select<T extends string>({
  label,
  hideLabel,
  value,
  onChange,
  options,
  placeholder,
  size = "md",
  className,
  isDisabled = false,
  error,
  defaultOpen = false,
  onOpenChange,
}: SelectProps<T>) {
  const chosen = options.find((option) => option.value === value);
  return (
    <Root
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(key as T)}
      placeholder={placeholder ?? ""}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      defaultOpen={defaultOpen}
      {...(onOpenChange && { onOpenChange })}
      className={cx("min-w-0", className)}
    >
      <Label className={hideLabel ? "sr-only" : "mb-1.5 block text-sm font-medium text-gray-700"}>{label}</Label>
      <Button
        className={cx(
          inputClass,
          "!flex items-center gap-2 text-left outline-offset-2 focus-visible:outline-2",
          size === "sm" && "!h-8.5 !rounded-lg text-sm font-medium",
        )}
      >
        <SelectValue className="flex min-w-0 flex-1 items-center gap-2 placeholder-shown:text-muted">
          {({ isPlaceholder, defaultChildren }) =>
            isPlaceholder || !chosen ? (
              <span className="truncate">{defaultChildren}</span>
            ) : (
              <>
                {chosen.icon}
                <span className="truncate">{chosen.label}</span>
              </>
            )
          }
        </SelectValue>
        <ChevronDown aria-hidden size={16} className="text-muted" />
      </Button>
      <ChoiceError error={error} />
      <Popover
        offset={4}
        className="flex min-w-(--trigger-width) flex-col max-w-[calc(100vw-1.5rem)] overflow-hidden rounded-xl bg-surface shadow-panel outline-none entering:animate-enter"
      >
        <ListBox className="max-h-80 min-h-0 overflow-y-auto overscroll-contain p-1.5 outline-none">
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.label}
              className="group flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none focus:bg-hover focus-visible:highlight selected:font-medium selected:text-ink"
            >
              {option.icon}
              <span className="min-w-0 flex-1 truncate">{option.label}</span>
              <Check aria-hidden size={16} className="invisible text-accent group-selected:visible" />
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Root>
  );
}
