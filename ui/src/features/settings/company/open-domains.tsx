import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";

/** Public email providers, whose addresses prove no membership: those with domains in many countries, and others. */
const anybodys =
  /^((gmail|googlemail|outlook|hotmail|live|yahoo|ymail|icloud|gmx|proton(mail)?|aol|zoho|yandex|fastmail)\.[a-z.]+|(msn|me|mac|qq|163|126|naver|mail)\.com|(web|t-online)\.de|pm\.me|mail\.ru|(orange|free)\.fr|libero\.it|terra\.(es|com\.br))$/;

/** Warns of domains at which anyone can get an address. */
export function OpenDomains({ domains }: { domains: string[] }) {
  const { t } = useTranslation();
  const open = domains.filter((domain) => anybodys.test(domain.toLowerCase()));
  return open.length > 0 && <Alert kind="warning">{t("ui.settings.joiningOpen", { domain: open.join(", ") })}</Alert>;
}
