import { SquarePen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TabNav } from "@/components/tab-nav";
import { useMay } from "@/features/account/data";
import { compose } from "./compose/store";

/** The tabs for received and sent messages. */
export function MessagesTabs() {
  const { t } = useTranslation();
  return (
    <TabNav
      label={t("ui.messages.title")}
      items={[
        { to: "/messages", label: t("ui.messages.received"), end: true },
        { to: "/messages/sent", label: t("ui.messages.sent") },
      ]}
    />
  );
}

export function NewMessageButton() {
  const { t } = useTranslation();
  if (!useMay("messages.send")) return null;
  return (
    <Button variant="primary" icon={SquarePen} onClick={() => compose()}>
      {t("ui.messages.new")}
    </Button>
  );
}
