import { ColourDot } from "@/components/colour-dot";
import { Select, type SelectProps } from "@/components/select";
import { useStatuses } from "@/records/statuses";

/** Chooses one of the company's statuses of customers. One that is being replaced is shown and cannot be chosen. */
export function StatusSelect(props: Omit<SelectProps<string>, "options" | "placeholder">) {
  const { offered, find } = useStatuses();
  const replaced = props.value === null ? undefined : find(props.value);
  return (
    <Select
      {...props}
      placeholder={replaced?.name ?? ""}
      options={offered.map(({ id, name, color }) => ({ value: id, label: name, icon: <ColourDot colour={color} /> }))}
    />
  );
}
