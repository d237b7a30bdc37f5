import { useQuery } from "@tanstack/react-query";
import { Send, Users } from "lucide-react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { PeopleField, type PersonOption } from "@/components/people-field";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useMay, useUser } from "@/features/account/data";
import { contactsQuery } from "@/features/chat/data";
import { toast } from "@/lib/toast";
import { useFieldForm } from "@/lib/use-field-form";
import { showFieldErrors } from "@/records/form-errors";
import { useFormDraft } from "@/records/use-form-draft";
import { useSendMessage } from "./data";
import { Original } from "./original";
import type { Compose } from "./store";
import { subjectOf } from "./subject";

/** The receiver that stands for all members. */
const everyone = "everyone";

interface Values {
  to: string[];
  title: string;
  text: string;
}

/** Writes a message to members of the company, or answers one. The text is kept until it is sent or discarded. */
export default function ComposeDialog({ to = [], answering, onClose }: Compose & { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const user = useUser();
  const mayAll = useMay("messages.broadcast");
  const { data: people, error: unknown } = useQuery(contactsQuery);
  const send = useSendMessage();
  const author = answering?.from;
  const subject = answering ? subjectOf(answering) : "";
  const form = useFieldForm<Values>({
    defaultValues: {
      to: author ? [author.memberId] : to,
      title: subject && (/^re:/i.test(subject) ? subject : t("ui.messages.re", { subject })),
      text: "",
    },
  });
  const { register, control, handleSubmit, setError, formState } = form;
  const { errors } = formState;
  const draft = useFormDraft(form, user.id, ["message", answering?.id ?? to.join(".")].join("."));
  const options: PersonOption[] = [
    ...(mayAll
      ? [
          {
            id: everyone,
            name: t("ui.messages.everyone"),
            line: t("ui.messages.everyoneHint"),
            icon: (
              <span className="grid aspect-square h-full max-h-7.5 min-h-5 place-items-center rounded-full bg-tint text-on-tint">
                <Users aria-hidden size={14} />
              </span>
            ),
          },
        ]
      : []),
    ...(people ?? []).map(({ id, name, about, avatar }) => ({ id, name, line: about, avatar })),
    // A member who has left is listed too; the server says that they cannot be reached.
    ...(author && people?.every(({ id }) => id !== author.memberId) ? [{ id: author.memberId, name: author.name }] : []),
  ];
  const submit = handleSubmit(({ to: chosen, title, text }) => {
    const all = chosen.includes(everyone);
    send.mutate(
      { ...(all ? { everyone: true } : { to: chosen }), title: title.trim(), text: text.trim() },
      {
        onSuccess: ({ id, total }) => {
          draft.finish();
          toast.success(t("ui.messages.isSent", { count: total }), {
            label: t("ui.messages.show"),
            run: () => void navigate(`/messages/sent/${id}`),
          });
          onClose();
        },
        onError: (error) => {
          const placed = showFieldErrors(error, setError, (path) => /^(to|title|text)(?=$|\.)/.exec(path)?.[1]);
          if (placed) send.reset();
        },
      },
    );
  });
  const trouble = send.error ?? (people ? undefined : unknown);
  return (
    <Dialog
      // Known receivers are not asked for: their field would open its list.
      hasOwnFocus
      title={author ? t("ui.messages.answerTo", { name: author.name }) : t("ui.messages.new")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      className="sm:!max-w-150"
      footer={
        <>
          {formState.isDirty && (
            <Button
              variant="danger-ghost"
              className="mr-auto"
              onClick={() => {
                draft.finish();
                onClose();
              }}
            >
              {t("ui.form.discard")}
            </Button>
          )}
          <Button variant="primary" icon={Send} type="submit" form="write-message" busy={send.isPending}>
            {t("ui.messages.send")}
          </Button>
        </>
      }
    >
      <form id="write-message" noValidate autoComplete="off" onSubmit={(event) => void submit(event)} className="grid grid-cols-1 gap-4">
        {trouble && <Alert kind="error">{errorText(trouble)}</Alert>}
        {draft.restored && <Alert kind="info">{t("ui.messages.kept")}</Alert>}
        {answering && <Original notice={answering} />}
        <Controller
          control={control}
          name="to"
          rules={{ validate: (value) => value.length > 0 || t("ui.messages.nobody") }}
          render={({ field }) => (
            <PeopleField
              label={t("ui.messages.to")}
              required
              autoFocus={field.value.length === 0}
              placeholder={t("ui.messages.toPlaceholder")}
              value={field.value}
              // With all members chosen, single ones are removed.
              onChange={(next) => {
                const whole = next.includes(everyone);
                const had = field.value.includes(everyone);
                field.onChange(whole ? (had && next.length > 1 ? next.filter((id) => id !== everyone) : [everyone]) : next);
              }}
              options={options}
              error={errors.to?.message}
            />
          )}
        />
        <TextField
          label={t("ui.messages.subject")}
          required
          maxLength={200}
          error={errors.title?.message}
          {...register("title", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
        <TextArea
          label={t("ui.messages.text")}
          required
          className={answering ? "[&_textarea]:min-h-28" : "[&_textarea]:min-h-44"}
          maxLength={5000}
          autoFocus={author !== undefined}
          error={errors.text?.message}
          {...register("text", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
        />
      </form>
    </Dialog>
  );
}
