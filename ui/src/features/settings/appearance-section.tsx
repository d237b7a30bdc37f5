import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/card";
import { useUpdateUser, useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { useVersion } from "@/lib/version";
import { type Scheme, schemeOf, schemes } from "@/theme/schemes";

/** A scheme in small: a head, a button and a few shades. */
function SchemeSwatch({ scheme, className }: { scheme: Scheme; className?: string }) {
  return (
    <span aria-hidden className={cx(`theme-${scheme} block overflow-hidden rounded-lg border border-line bg-gray-50`, className)}>
      <span className="block h-3" style={{ background: "var(--solid)" }} />
      <span className="flex items-center gap-1 p-1.5">
        <i className="h-2.5 w-6 rounded-full" style={{ background: "var(--primary-200)" }} />
        <i className="h-2.5 w-3 rounded-full" style={{ background: "var(--primary-400)" }} />
        <i className="ml-auto h-3 w-5 rounded-[4px]" style={{ background: "var(--action)" }} />
      </span>
    </span>
  );
}

function Choice({
  name,
  label,
  swatch,
  checked,
  onChoose,
}: {
  name: string;
  label: string;
  swatch: Scheme;
  checked: boolean;
  onChoose: () => void;
}) {
  return (
    <label
      className={cx(
        "relative block rounded-xl border p-2 transition-colors duration-150 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary",
        checked ? "border-primary ring-1 ring-primary" : "border-line hover:border-line-strong",
      )}
    >
      <input
        type="radio"
        name="scheme"
        value={name}
        checked={checked}
        onChange={onChoose}
        className="absolute inset-0 m-0 appearance-none opacity-0"
      />
      <SchemeSwatch scheme={swatch} />
      <span className="mt-1.5 flex min-h-5 items-center justify-between gap-1 px-0.5 text-sm font-medium text-ink">
        <span className="truncate">{label}</span>
        {checked && <Check aria-hidden size={16} className="text-accent" />}
      </span>
    </label>
  );
}

/** The colours one works in: a choice counts at once. */
export function AppearanceSection() {
  const { t } = useTranslation();
  const user = useUser();
  const company = useVersion((state) => state.company);
  const { mutate } = useUpdateUser();
  const chosen = user.scheme ?? null;
  return (
    <Card title={t("ui.settings.sections.appearance")} subtitle={t("ui.settings.appearanceLead")} className="sm:px-6">
      <fieldset>
        <legend className="sr-only">{t("ui.settings.scheme")}</legend>
        <div className="mb-5 max-w-72">
          <Choice
            name=""
            label={t("ui.settings.companyScheme", { name: t(`ui.settings.schemes.${schemeOf(company.color_scheme)}`) })}
            swatch={schemeOf(company.color_scheme)}
            checked={chosen === null}
            onChoose={() => mutate({ scheme: null })}
          />
        </div>
        <div className="grid grid-cols-2 gap-3 min-[440px]:grid-cols-3 sm:grid-cols-4 md:grid-cols-3 lg:grid-cols-4">
          {schemes.map((scheme) => (
            <Choice
              key={scheme}
              name={scheme}
              label={t(`ui.settings.schemes.${scheme}`)}
              swatch={scheme}
              checked={chosen === scheme}
              onChoose={() => mutate({ scheme })}
            />
          ))}
        </div>
      </fieldset>
    </Card>
  );
}
