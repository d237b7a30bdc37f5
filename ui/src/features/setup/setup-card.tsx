import { Check, ChevronRight, CircleCheck, FileInput, type LucideIcon, Mail, Palette, Plus, UserPlus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Setup, SetupStepName } from "@/api/schema";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { toast } from "@/lib/toast";
import { createState, importPath } from "@/records/kinds";
import { useHideSetup, useSetup } from "./data";
import { SampleDataLine } from "./sample-data-line";

/** Where each step is done. */
const steps: Record<SetupStepName, { icon: LucideIcon; to: string; state?: typeof createState }> = {
  look: { icon: Palette, to: "/settings/company" },
  people: { icon: UserPlus, to: "/team/list", state: createState },
  mail: { icon: Mail, to: "/settings/company#mail" },
  customers: { icon: FileInput, to: importPath("customer") ?? "/customers" },
  task: { icon: CircleCheck, to: "/tasks/new" },
};

/** Whether the card has something to say: steps to do in a new company, or sample data to remove. */
export function isSetupShown({ isNew, hidden, steps, sampleData }: Setup): boolean {
  return isNew && !hidden && (steps.some(({ done }) => !done) || sampleData.state === "present");
}

function Step({ name, done, hint }: { name: SetupStepName; done: boolean; hint: string }) {
  const { t } = useTranslation();
  const { icon: Icon, to, state } = steps[name];
  const row = "flex min-h-14 items-center gap-3.5 px-5 py-2.5";
  const title = t(`ui.setup.steps.${name}.title`);
  if (done) {
    return (
      <li className={cx(row, "text-muted")}>
        <span className="grid size-9 shrink-0 place-items-center rounded-full bg-ok-soft text-ok">
          <Check aria-hidden size={18} />
        </span>
        <span className="min-w-0 flex-1">
          {title} <span className="sr-only">{t("ui.setup.done")}</span>
        </span>
      </li>
    );
  }
  return (
    <li className="flex items-center max-sm:flex-col max-sm:items-stretch">
      <Link to={to} {...(state && { state })} className={cx(row, "min-w-0 flex-1 transition-colors duration-150 hover:bg-hover")}>
        <span className="grid size-9 shrink-0 place-items-center rounded-full bg-tint text-on-tint">
          <Icon aria-hidden size={18} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block font-medium text-ink">{title}</span>
          <span className="block text-sm text-muted">{hint}</span>
        </span>
        <ChevronRight aria-hidden size={18} className="shrink-0 text-muted" />
      </Link>
      {name === "customers" && (
        <ButtonLink to="/customers/new" size="sm" icon={Plus} className="mr-5 max-sm:mb-3 max-sm:ml-17.5 max-sm:self-start">
          {t("ui.customers.add")}
        </ButtonLink>
      )}
    </li>
  );
}

/** The steps of setting up a new company, for its administrators, until they are done or the card is put away. */
export function SetupCard() {
  const { t } = useTranslation();
  const { data } = useSetup();
  const hide = useHideSetup();
  if (!data || !isSetupShown(data)) return null;
  const open = data.steps.filter(({ done }) => !done).length;
  const total = data.steps.length;
  const hasMail = data.steps.some(({ name }) => name === "mail");
  const hint = (name: SetupStepName) => t(name === "people" && !hasMail ? "ui.setup.steps.people.links" : `ui.setup.steps.${name}.text`);
  const putAway = () => hide.mutate(true, { onSuccess: () => toast.info(t("ui.setup.hidden")) });
  const progress = t("ui.setup.progress", { done: formatNumber(total - open), total: formatNumber(total) });
  return (
    <Card
      flush
      title={t("ui.setup.title")}
      subtitle={open > 0 ? progress : t("ui.setup.allDone")}
      actions={<IconButton label={t("ui.setup.hide")} icon={X} onClick={putAway} className="-mt-1.5 -mr-2" />}
    >
      {open > 0 && (
        <ul className="divide-y divide-hover border-t border-hover">
          {data.steps.map(({ name, done }) => (
            <Step key={name} name={name} done={done} hint={hint(name)} />
          ))}
        </ul>
      )}
      {data.sampleData.state !== "none" && (
        <div className="border-t border-hover px-5 py-3.5">
          <SampleDataLine />
        </div>
      )}
    </Card>
  );
}
