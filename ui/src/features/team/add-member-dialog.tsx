import { Dices } from "lucide-react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { Role } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { toast } from "@/lib/toast";
import { useFieldForm } from "@/lib/use-field-form";
import { showFieldErrors } from "@/records/form-errors";
import { useAddMember } from "./data";
import { makePassword } from "./password";
import { useManages } from "./roles";

interface Values {
  name: string;
  email: string;
  role: Role;
  title: string;
  password: string;
}
const fields = ["name", "email", "role", "title", "password"];

/** Adds a colleague, who can sign in at once with the password shown here. */
export function AddMemberDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { grantable } = useManages();
  const add = useAddMember();
  const { register, control, handleSubmit, setError, setValue, formState } = useFieldForm<Values>({
    defaultValues: { name: "", email: "", role: "member", title: "", password: makePassword() },
  });
  const { errors } = formState;
  const submit = handleSubmit(({ title, ...values }) =>
    add.mutate(
      { ...values, name: values.name.trim(), email: values.email.trim(), ...(title.trim() && { title: title.trim() }) },
      {
        onSuccess: ({ name }) => {
          toast.success(t("ui.team.added", { name }));
          onClose();
        },
        onError: (error) => {
          if (showFieldErrors(error, setError, (path) => (fields.includes(path) ? path : undefined))) add.reset();
        },
      },
    ),
  );
  return (
    <Dialog
      title={t("ui.team.add")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="add-member" busy={add.isPending}>
            {t("ui.team.add")}
          </Button>
        </>
      }
    >
      <form id="add-member" noValidate autoComplete="off" onSubmit={(event) => void submit(event)} className="grid grid-cols-1 gap-4">
        {add.error && <Alert kind="error">{errorText(add.error)}</Alert>}
        <TextField
          label={t("ui.team.name")}
          required
          autoFocus
          maxLength={200}
          error={errors.name?.message}
          {...register("name", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
        <TextField
          label={t("ui.team.email")}
          required
          type="email"
          inputMode="email"
          error={errors.email?.message}
          {...register("email", { validate: (value) => /^\S+@\S+\.\S+$/.test(value.trim()) || t("ui.form.email") })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Controller
            control={control}
            name="role"
            render={({ field }) => (
              <Select
                label={t("ui.team.role")}
                value={field.value}
                onChange={field.onChange}
                error={errors.role?.message}
                options={grantable.map((value) => ({ value, label: t(`ui.team.roles.${value}`) }))}
              />
            )}
          />
          <TextField label={t("ui.team.jobTitle")} maxLength={200} error={errors.title?.message} {...register("title")} />
        </div>
        <div className="flex gap-2 max-sm:flex-col sm:items-start">
          <TextField
            label={t("ui.team.password")}
            required
            hint={t("ui.team.passwordHint")}
            className="flex-1"
            spellCheck={false}
            data-secret
            error={errors.password?.message}
            {...register("password", { validate: (value) => (value.length >= 12 && value.length <= 128) || t("ui.team.passwordLength") })}
          />
          <Button
            className="max-sm:self-start sm:mt-6.5 sm:!h-10.5"
            icon={Dices}
            onClick={() => setValue("password", makePassword(), { shouldValidate: true })}
          >
            {t("ui.team.generate")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
