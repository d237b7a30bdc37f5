import { LockKeyhole } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { useAtLeast } from "@/lib/media";
import { icons, isFixed, type Kind, type Kinds, rights, topics, type Way, ways } from "./kinds";

export interface KindsChoiceProps {
  value: Kinds;
  onChange: (value: Kinds) => void;
}

const all = Object.entries(topics) as [keyof typeof topics, readonly Kind[]][];

/** The channels of each kind of notification: a table if there is room, cards on phones. */
export function KindsChoice({ value, onChange }: KindsChoiceProps) {
  const { t } = useTranslation();
  const wide = useAtLeast("sm");
  const { permissions } = useUser();
  const isTold = (kind: Kind) => !rights[kind] || permissions.includes(rights[kind]);
  const groups = all.map(([topic, kinds]) => [topic, kinds.filter(isTold)] as const);
  const box = (kind: Kind, way: Way, named: boolean) => {
    const fixed = isFixed(kind, way);
    const name = t(`ui.notices.kinds.${kind}`);
    return (
      <label
        className={cx("touchable inline-flex min-h-9 items-center gap-2.5", !named && "min-w-11 justify-center", fixed && "text-muted")}
      >
        <input
          type="checkbox"
          className="size-4.5 shrink-0"
          aria-label={t("ui.notices.byWay", { kind: name, way: t(`ui.notices.ways.${way}`) })}
          aria-describedby={fixed ? "always-on" : undefined}
          checked={fixed || value[kind][way]}
          disabled={fixed}
          onChange={({ target }) => onChange({ ...value, [kind]: { ...value[kind], [way]: target.checked } })}
        />
        {named && t(`ui.notices.ways.${way}`)}
      </label>
    );
  };
  const kindName = (kind: Kind) => {
    const Icon = icons[kind];
    return (
      <span className="flex gap-3">
        <Icon aria-hidden size={18} className="mt-0.5 shrink-0 text-muted" />
        <span className="min-w-0">
          <span className="block font-medium text-ink">{t(`ui.notices.kinds.${kind}`)}</span>
          <span className="block text-sm font-normal text-muted">{t(`ui.notices.kindHints.${kind}`)}</span>
        </span>
      </span>
    );
  };
  const note = (
    <p id="always-on" className="mt-3 flex gap-2 text-sm text-muted">
      <LockKeyhole aria-hidden size={16} className="mt-0.5 shrink-0" />
      {t("ui.notices.alwaysOn")}
    </p>
  );
  if (!wide) {
    return (
      <div>
        {groups.map(([topic, kinds]) => (
          <section key={topic} aria-labelledby={`topic-${topic}`} className="mb-5">
            <h3 id={`topic-${topic}`} className="mb-2 text-sm font-semibold text-soft">
              {t(`ui.notices.topics.${topic}`)}
            </h3>
            <ul className="grid grid-cols-1 gap-2.5">
              {kinds.map((kind) => (
                <li key={kind} className="rounded-xl border border-line p-3.5">
                  {kindName(kind)}
                  <span className="mt-2 flex flex-wrap gap-x-6 pl-7.5">
                    {ways.map((way) => (
                      <span key={way}>{box(kind, way, true)}</span>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {note}
      </div>
    );
  }
  return (
    <div>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{t("ui.notices.kindsTable")}</caption>
        <thead>
          <tr className="border-b border-line text-sm text-muted">
            <th scope="col" className="pb-2 font-medium">
              {t("ui.notices.kind")}
            </th>
            {ways.map((way) => (
              <th key={way} scope="col" className="w-26 pb-2 text-center font-medium">
                {t(`ui.notices.ways.${way}`)}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(([topic, kinds]) => (
          <tbody key={topic}>
            <tr>
              <th scope="rowgroup" colSpan={3} className="pt-5 pb-1 text-sm font-semibold text-soft">
                {t(`ui.notices.topics.${topic}`)}
              </th>
            </tr>
            {kinds.map((kind) => (
              <tr key={kind} className="border-b border-hover last:border-0">
                <th scope="row" className="py-2.5 pr-3 font-normal">
                  {kindName(kind)}
                </th>
                {ways.map((way) => (
                  <td key={way} className="text-center">
                    {box(kind, way, false)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      {note}
    </div>
  );
}
