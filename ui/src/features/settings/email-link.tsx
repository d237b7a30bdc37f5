import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { dropLinkToken, useLinkToken } from "@/lib/link-token";
import { toast } from "@/lib/toast";
import { confirmEmail, readLink } from "./data";

/** A link from an e-mail, opened while signed in: confirms a new address, and explains any other link. */
export function EmailLink() {
  const { t } = useTranslation();
  const token = useLinkToken();
  const [problem, setProblem] = useState<"gone" | "foreign">();
  const begun = useRef<string>(undefined);
  useEffect(() => {
    if (!token || begun.current === token) return;
    begun.current = token;
    dropLinkToken();
    const use = async () => {
      const { purpose, email } = await readLink(token);
      if (purpose !== "email") return setProblem("foreign");
      await confirmEmail(token);
      toast.success(t("ui.settings.emailChanged", { email }));
    };
    use().catch(() => setProblem("gone"));
  }, [token, t]);
  if (!problem) return null;
  return (
    <Alert kind="warning" className="mb-6" onDismiss={() => setProblem(undefined)}>
      {t(problem === "gone" ? "ui.settings.linkGone" : "ui.settings.linkForeign")}
    </Alert>
  );
}
