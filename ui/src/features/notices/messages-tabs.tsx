import { Inbox, Send, SquarePen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { TabNav } from "@/components/tab-nav";
import { useMay } from "@/features/account/data";
import { compose } from "./compose/store";

/** Returns the tabs for received and sent messages. */
export function useMessagesTabs() {
  const { t } = useTranslation();
  return [
    { to: "/messages", label: t("ui.messages.received"), end: true, icon: Inbox },
    { to: "/messages/sent", label: t("ui.messages.sent"), icon: Send },
  ];
}

export function MessagesTabs() {
  const { t } = useTranslation();
  return <TabNav label={t("ui.messages.title")} items={useMessagesTabs()} />;
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
