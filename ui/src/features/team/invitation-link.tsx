import { Check, Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { useCopy } from "@/features/security/use-copy";

/** Returns the full address of a link that the server returned as a path. */
export const absoluteLink = (path: string) => new URL(path, location.origin).href;

export interface LinkFieldProps {
  email: string;
  link: string;
  /** What the link is for; without it, an invitation. */
  isFor?: "password" | undefined;
}

/** A link to copy. It can be selected if the browser does not let a page copy. */
export function LinkField({ email, link, isFor }: LinkFieldProps) {
  const { t } = useTranslation();
  const [copied, copy] = useCopy();
  return (
    <span className="flex w-full min-w-0 flex-wrap items-center gap-2">
      <input
        readOnly
        aria-label={t(isFor ? "ui.team.passwordLink.of" : "ui.team.invite.linkOf", { email })}
        value={link}
        onFocus={(event) => event.target.select()}
        className="h-8.5 min-w-0 flex-1 basis-36 truncate rounded-lg border border-line bg-sunken px-2.5 font-mono text-xs text-soft"
      />
      <Button
        size="sm"
        icon={copied ? Check : Copy}
        aria-label={copied ? undefined : t("ui.team.invite.copyLinkOf", { email })}
        onClick={() => copy(link)}
        className="shrink-0"
      >
        {t(copied ? "ui.security.copied" : "ui.team.invite.copyLink")}
      </Button>
    </span>
  );
}

export interface LinkDialogProps extends LinkFieldProps {
  onClose: () => void;
}

/** A link to pass on; `link` is its path. */
export function LinkDialog({ email, link, isFor, onClose }: LinkDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={t(isFor ? "ui.team.passwordLink.title" : "ui.team.invite.linkTitle")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("ui.action.done")}
        </Button>
      }
    >
      <p className="mb-3 [overflow-wrap:anywhere]">{t(isFor ? "ui.team.passwordLink.text" : "ui.team.invite.linkText", { email })}</p>
      <LinkField email={email} link={absoluteLink(link)} isFor={isFor} />
    </Dialog>
  );
}
