import { Check, Minus } from "lucide-react";
import { Checkbox } from "react-aria-components/Checkbox";

/** The checkbox in the rows of a table or tree; the row provides state and name. */
export function SlotCheckbox({
  isIndeterminate,
  isSelected,
  onChange,
  label,
}: {
  isIndeterminate?: boolean;
  isSelected?: boolean;
  onChange?: (selected: boolean) => void;
  label?: string;
}) {
  return (
    <Checkbox
      {...(onChange
        ? { slot: null, isIndeterminate: isIndeterminate ?? false, isSelected: isSelected ?? false, onChange, excludeFromTabOrder: true }
        : { slot: "selection" })}
      {...(label && { "aria-label": label })}
      className="group grid size-4.5 shrink-0 cursor-pointer place-items-center rounded-[5px] border border-gray-500 bg-surface text-on-primary selected:border-primary selected:bg-primary indeterminate:border-primary indeterminate:bg-primary focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-primary"
    >
      {({ isSelected: on, isIndeterminate: some }) =>
        some ? <Minus aria-hidden size={14} className="!stroke-3" /> : on ? <Check aria-hidden size={14} className="!stroke-3" /> : null
      }
    </Checkbox>
  );
}
