import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "@/api/schema";
import { cx } from "@/lib/cx";

export interface RoleChoiceProps {
  value: Role;
  onChange: (role: Role) => void;
  /** The roles that may be assigned. */
  roles: Role[];
}

/** The roles with their permissions, as radio buttons. */
export function RoleChoice({ value, onChange, roles }: RoleChoiceProps) {
  const { t } = useTranslation();
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.team.role")}</legend>
      <div className="grid grid-cols-1 gap-2 sm:grid-cols-2">
        {roles.map((role) => (
          <label
            key={role}
            className={cx(
              "flex gap-3 rounded-xl border p-3 transition-colors duration-150 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary",
              role === value ? "border-primary bg-tint-soft" : "border-line hover:border-line-strong",
            )}
          >
            <input
              type="radio"
              name={name}
              value={role}
              checked={role === value}
              onChange={() => onChange(role)}
              aria-describedby={`${name}-${role}`}
              className="mt-0.5 size-4 shrink-0 accent-primary"
            />
            <span className="min-w-0">
              <span className="block font-medium text-ink">{t(`ui.team.roles.${role}`)}</span>
              <span id={`${name}-${role}`} className="block text-sm text-muted">
                {t(`ui.team.roleHints.${role}`)}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
