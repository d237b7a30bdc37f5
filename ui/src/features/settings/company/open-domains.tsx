import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";

/** Public email providers, whose addresses prove no membership. */
const anybodys =
  /^(gmail|googlemail|outlook|hotmail|live|msn|yahoo|ymail|icloud|me|mac|gmx|web|t-online|proton(mail)?|pm|aol|zoho|yandex|fastmail|mail|qq|163|126|naver|orange|free|libero|terra)\.(com|net|org|me|de|fr|es|it|ru|uk|ch|at|ca|in|jp|br|mx|ar|co\.(uk|jp|in)|com\.(ar|br|mx|au))$/;

/** Warns of domains at which anyone can get an address. */
export function OpenDomains({ domains }: { domains: string[] }) {
  const { t } = useTranslation();
  const open = domains.filter((domain) => anybodys.test(domain.toLowerCase()));
  return open.length > 0 && <Alert kind="warning">{t("ui.settings.joiningOpen", { domain: open.join(", ") })}</Alert>;
}
