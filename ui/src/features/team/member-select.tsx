import { UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { Select, type SelectProps } from "@/components/select";
import { type Named, useMembers } from "./data";

const nobody = "nobody";

export interface MemberSelectProps extends Omit<SelectProps<string>, "value" | "onChange" | "options" | "placeholder"> {
  value: string | null | undefined;
  /** Receives null for no member. */
  onChange: (id: string | null) => void;
  /** Whether nothing has been chosen yet, not even no member. */
  isUnset?: boolean;
}

/** A choice of a colleague, or none. Suspended ones are offered only while chosen. */
export function MemberSelect({ value, onChange, isUnset = false, ...rest }: MemberSelectProps) {
  const { t } = useTranslation();
  const { members, find } = useMembers();
  const offered: Named[] = members.filter((member) => member.state !== "suspended" || member.id === value);
  // A former member is offered while chosen.
  const chosen = find(value ?? undefined);
  if (chosen && !offered.some(({ id }) => id === chosen.id)) offered.push(chosen);
  return (
    <Select
      {...rest}
      value={value ?? (isUnset ? null : nobody)}
      placeholder={t("ui.fields.choose")}
      onChange={(id) => onChange(id === nobody ? null : id)}
      options={[
        {
          value: nobody,
          label: t("ui.team.nobody"),
          icon: (
            <span className="grid size-6 shrink-0 place-items-center rounded-full bg-hover text-muted">
              <UserRound aria-hidden size={14} />
            </span>
          ),
        },
        ...offered.map((member) => ({
          value: member.id,
          label: member.name,
          icon: <Avatar name={member.name} src={member.avatar} size={24} />,
        })),
      ]}
    />
  );
}
