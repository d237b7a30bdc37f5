import { BellRing } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { StatusPill } from "@/components/status-pill";
import { Switch } from "@/components/switch";
import { useUser } from "@/features/account/data";
import { followChoice, showBrowserNotice, useBrowserNotices, wantBrowserNotices } from "@/features/notices/browser";
import { useCompanyInfo } from "@/shell/company-info";

/** Browser notifications: whether this browser shows them, and what prevents it. */
export function BrowserCard() {
  const { t } = useTranslation();
  const { id } = useUser();
  const company = useCompanyInfo((state) => state.company.name);
  const { permission, wanted } = useBrowserNotices();
  useEffect(() => followChoice(id), [id]);
  const on = wanted && permission === "granted";
  const may = permission === "granted" || permission === "default";
  return (
    <Card
      title={t("ui.notices.browser.title")}
      subtitle={t("ui.notices.browser.lead")}
      className="sm:!px-6"
      actions={
        <StatusPill tone={on ? "ok" : permission === "denied" ? "bad" : "off"}>
          {t(`ui.notices.browser.states.${on ? "on" : may ? "off" : permission}`)}
        </StatusPill>
      }
    >
      {may ? (
        <Switch
          hint={t("ui.notices.browser.switchHint")}
          checked={on}
          onChange={({ target }) => void wantBrowserNotices(id, target.checked)}
        >
          {t("ui.notices.browser.switch")}
        </Switch>
      ) : (
        <Alert kind={permission === "denied" ? "warning" : "basic"}>{t(`ui.notices.browser.why.${permission}`)}</Alert>
      )}
      {on && (
        <Button
          size="sm"
          icon={BellRing}
          className="mt-4"
          onClick={() => showBrowserNotice({ tag: "trial", title: t("ui.notices.browser.trial"), body: company, onOpen: () => undefined })}
        >
          {t("ui.notices.browser.try")}
        </Button>
      )}
    </Card>
  );
}
