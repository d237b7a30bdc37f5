import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Checkbox } from "@/components/checkbox";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/text-field";

export interface ViewDialogProps {
  title: string;
  name: string;
  shared: boolean;
  /** Whether the member may share it, or end that. */
  mayShare: boolean;
  error: unknown;
  busy: boolean;
  onSave: (named: { name: string; shared?: boolean }) => void;
  onClose: () => void;
}

/** Names a view, and shares it. */
export function ViewDialog({ title, mayShare, error, busy, onSave, onClose, ...view }: ViewDialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(view.name);
  const [shared, setShared] = useState(view.shared);
  return (
    <Dialog
      title={title}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="view" busy={busy} disabled={!name.trim()}>
            {t("ui.action.save")}
          </Button>
        </>
      }
    >
      <form
        id="view"
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) onSave({ name: name.trim(), ...(mayShare && { shared }) });
        }}
      >
        {error !== null && !fieldError(error, "name") && <Alert kind="error">{errorText(error)}</Alert>}
        <TextField
          label={t("ui.list.views.name")}
          autoFocus
          autoComplete="off"
          required
          maxLength={100}
          value={name}
          error={fieldError(error, "name")}
          onChange={(event) => setName(event.target.value)}
        />
        {mayShare && (
          <div>
            <Checkbox checked={shared} onChange={(event) => setShared(event.target.checked)}>
              {t("ui.list.views.share")}
            </Checkbox>
            <p className="mt-1 ml-6 text-sm text-muted">{t("ui.list.views.shareHint")}</p>
          </div>
        )}
      </form>
    </Dialog>
  );
}
