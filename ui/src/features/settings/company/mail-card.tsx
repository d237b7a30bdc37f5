import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { mailQuery } from "@/features/team/data";
import { toast } from "@/lib/toast";
import { useTestMail } from "../data";

/** Whether the server sends e-mail, and a test of it. */
export function MailCard() {
  const { t } = useTranslation();
  const { data } = useQuery(mailQuery);
  const test = useTestMail();
  const isMeant = useLocation().hash === "#mail";
  const scrollTo = useCallback(
    (card: HTMLElement | null) => {
      if (isMeant) card?.scrollIntoView();
    },
    [isMeant],
  );
  if (!data) return null;
  const send = () => test.mutate(undefined, { onSuccess: ({ email }) => toast.success(t("ui.settings.mail.tested", { email })) });
  return (
    <Card
      id="mail"
      ref={scrollTo}
      title={t("ui.settings.mail.title")}
      subtitle={t("ui.settings.mail.lead")}
      className="scroll-mt-24 sm:!p-6"
    >
      {data.configured ? (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <p className="text-soft">{t("ui.settings.mail.on")}</p>
          <Button icon={Send} busy={test.isPending} onClick={send}>
            {t("ui.settings.mail.test")}
          </Button>
        </div>
      ) : (
        <Alert kind="warning">{t("ui.settings.mail.off")}</Alert>
      )}
    </Card>
  );
}
