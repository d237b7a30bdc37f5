import i18n from "i18next";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "@/api/schema";
import { Sentence, slot } from "@/components/sentence";
import { deviceName } from "@/lib/device";
import { formatDate, formatNumber } from "@/lib/format";
import { locale } from "@/lib/locale";
import { withErasedPeople } from "@/records/erased-person";

const roles = ["owner", "admin", "member", "viewer"] as const;
const fields = [
  "name",
  "title",
  "phone",
  "about",
  "slug",
  "logotipo_dark",
  "logotipo_light",
  "color_scheme",
  "layout",
  "locale",
  "timezone",
  "region",
  "domains",
  "supportLink",
  "idleMinutes",
  "secondFactor",
  "joining",
] as const;
const known = <T extends string>(list: readonly T[], word: string): T | undefined => list.find((one) => one === word);

/** Translates a value; it may have no translation: the operator's own, or a newer server's. */
const words = (key: string, values: Record<string, string>) =>
  i18n.exists(key) ? String(i18n.t(key as never, values as never)) : undefined;

/** An entry as a sentence that names the author and the member concerned. */
export function EntryText({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const { actor, about, event } = entry;
  const who =
    actor.kind === "member"
      ? actor.former
        ? t("ui.team.former", { name: actor.name ?? "" })
        : (actor.name ?? "")
      : t(actor.kind === "operator" ? "ui.audit.operator" : "ui.audit.system");
  const text = words(`audit.${event}`, { who: slot("who"), about: slot("about") });
  if (text === undefined) {
    return (
      <>
        <b className="font-semibold text-ink">{who}</b> {event}
      </>
    );
  }
  const self = about !== undefined && about.id === actor.id && text.includes(slot("who"));
  const strong = (name: string) => (
    <b dir="auto" className="font-semibold text-ink">
      {name}
    </b>
  );
  return (
    <Sentence
      text={text}
      slots={{
        who: strong(who),
        about: self ? t("ui.audit.oneself") : strong(about ? withErasedPeople(about.name) : t("ui.audit.somebody")),
      }}
    />
  );
}

/** Returns further details of an entry, in a few words. */
export function useFacts() {
  const { t } = useTranslation();
  const role = (word: string) => {
    const found = known(roles, word);
    return found ? t(`ui.team.roles.${found}`) : word;
  };
  const list = (names: string) => {
    const parts = names.split(", ").map((name) => {
      const field = known(fields, name);
      return field ? t(`ui.audit.fields.${field}`) : name;
    });
    return new Intl.ListFormat(locale(), { type: "unit", style: "short" }).format(parts);
  };
  const months = (value = "0") =>
    value === "0" ? t("ui.audit.retentionNone") : t("ui.audit.months", { count: Number(value), total: formatNumber(Number(value)) });
  return ({ facts }: AuditEntry): string[] => {
    const factOf = (name: string) => facts.find((fact) => fact.name === name)?.value;
    const was = factOf("was");
    return facts.flatMap(({ name, value }) => {
      switch (name) {
        case "was":
        case "months":
        case "monthsBefore":
          return [];
        case "role":
          return was ? t("ui.audit.roleChange", { from: role(was), to: role(value) }) : role(value);
        case "fields":
          return list(value);
        case "status":
          return t("ui.audit.retention", { status: value, from: months(factOf("monthsBefore")), to: months(factOf("months")) });
        case "moment":
          return t("ui.audit.asOf", { moment: formatDate(value, { dateStyle: "medium", timeStyle: "short" }) });
        case "device":
          return deviceName(t, value);
        case "idle":
          return t("ui.audit.idle", { count: Number(value), total: formatNumber(Number(value)) });
        case "single_sign_on":
          return t("ui.settings.sso.title");
        case "why":
          return value === "unlock" ? t("ui.audit.wrongPasswords") : value;
        default:
          return value;
      }
    });
  };
}
