import { Check, Copy, Download, Printer } from "lucide-react";
import { useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useUser } from "@/features/account/data";
import { mediumDate } from "@/lib/format";
import { useCopy } from "./use-copy";

/** Codes that replace the authenticator, once each; they are shown only here. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const { t } = useTranslation();
  const { email, customer } = useUser();
  const [copied, copy] = useCopy();
  const lead = useRef<HTMLParagraphElement>(null);
  // The focused element is gone, and the codes are to be read first.
  useEffect(() => lead.current?.focus(), []);
  const head = t("ui.security.codesFor", { email, company: customer.name });
  const text = `${head}\n\n${codes.join("\n")}\n`;
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = t("ui.security.codesFile");
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <p ref={lead} tabIndex={-1} className="text-soft outline-none">
        {t("ui.security.codesText")}
      </p>
      <ol className="grid grid-cols-1 gap-x-6 gap-y-1.5 rounded-control border border-line bg-sunken px-5 py-4 font-mono text-ink min-[360px]:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={copied ? Check : Copy} onClick={() => copy(text)}>
          {t(copied ? "ui.security.copied" : "ui.security.copyCodes")}
        </Button>
        <Button size="sm" icon={Download} onClick={download}>
          {t("ui.security.download")}
        </Button>
        <Button size="sm" icon={Printer} onClick={() => print()}>
          {t("ui.security.print")}
        </Button>
      </div>
      <Button variant="primary" className="mt-1 justify-self-end" onClick={onDone}>
        {t("ui.security.codesKept")}
      </Button>
      {/* The dialog is not printed; this is printed instead. */}
      {createPortal(
        <section aria-hidden className="print-sheet hidden">
          <h1 className="text-xl font-bold text-ink">{head}</h1>
          <p className="mt-1.5 text-soft">{t("ui.security.codesPaper", { date: mediumDate(new Date()) })}</p>
          <ol className="mt-6 list-decimal pl-9 font-mono text-lg leading-9 text-ink marker:text-sm marker:text-muted">
            {codes.map((code) => (
              <li key={code} className="pl-2">
                {code}
              </li>
            ))}
          </ol>
        </section>,
        document.body,
      )}
    </div>
  );
}
