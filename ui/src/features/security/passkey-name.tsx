import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { Passkey } from "@/api/schema";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/text-field";
import { useFieldForm } from "@/lib/use-field-form";
import { useRenamePasskey } from "./data";

/** Renames a passkey. */
export function PasskeyName({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation();
  const rename = useRenamePasskey();
  const { register, handleSubmit, setError, formState } = useFieldForm({ defaultValues: { name: passkey.name } });
  const submit = handleSubmit(({ name }) =>
    rename.mutate(
      { id: passkey.id, name: name.trim() },
      { onSuccess: onClose, onError: (error) => setError("name", { type: "server", message: errorText(error) }, { shouldFocus: true }) },
    ),
  );
  return (
    <Dialog
      title={t("ui.security.renamePasskey")}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="rename-passkey" busy={rename.isPending}>
            {t("ui.form.saveChanges")}
          </Button>
        </>
      }
    >
      <form id="rename-passkey" noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          label={t("ui.security.passkeyName")}
          autoFocus
          maxLength={60}
          error={formState.errors.name?.message}
          {...register("name", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
      </form>
    </Dialog>
  );
}
