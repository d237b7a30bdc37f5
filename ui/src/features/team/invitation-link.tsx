import { Check, Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { useCopy } from "@/features/security/use-copy";

/** Returns the full address of a link that the server returned as a path. */
export const absoluteLink = (path: string) => new URL(path, location.origin).href;

/** An invitation link to copy. It can be selected if the browser does not let a page copy. */
export function InvitationLinkField({ email, link }: { email: string; link: string }) {
  const { t } = useTranslation();
  const [copied, copy] = useCopy();
  return (
    <span className="flex w-full min-w-0 flex-wrap items-center gap-2">
      <input
        readOnly
        aria-label={t("ui.team.invite.linkOf", { email })}
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

export interface InvitationLinkDialogProps {
  email: string;
  /** The path of the link. */
  link: string;
  onClose: () => void;
}

/** Another link for an invited person. */
export function InvitationLinkDialog({ email, link, onClose }: InvitationLinkDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={t("ui.team.invite.linkTitle")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("ui.action.done")}
        </Button>
      }
    >
      <p className="mb-3 [overflow-wrap:anywhere]">{t("ui.team.invite.linkText", { email })}</p>
      <InvitationLinkField email={email} link={absoluteLink(link)} />
    </Dialog>
  );
}
