import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { ChatMessage } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { DateField } from "@/components/date-field";
import { Dialog } from "@/components/dialog";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { contactsQuery } from "../data";
import { usePeople } from "./chat-context";
import { useMakeTask } from "./data";

/** Maximum characters of a task's title. */
const maxTitleLength = 200;

/** Returns the title of a task from a message: its first line. */
export function titleOf(value: string): string {
  const line = (value.trim().split("\n", 1)[0] ?? "").replace(/\s+/g, " ");
  return line.length <= maxTitleLength ? line : `${line.slice(0, maxTitleLength - 1)}…`;
}

/** Returns the address of a message. */
export const addressOf = (message: ChatMessage) => `${location.origin}/chat/${message.chatId}?message=${message.id}`;

/** Creates a task from a message; its notes link back here. */
export default function TaskDialog({ message, onClose }: { message: ChatMessage; onClose: () => void }) {
  const { t } = useTranslation();
  const user = useUser();
  const author = usePeople()(message.contactId).name;
  const { data: contacts = [] } = useQuery(contactsQuery);
  const { make, undo } = useMakeTask();
  const [title, setTitle] = useState(titleOf(message.value));
  const [assigneeId, setAssignee] = useState(user.id);
  const [dueDate, setDue] = useState<string | null>(null);
  const people = [{ id: user.id, name: user.name, avatar: user.avatar }, ...contacts];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!title.trim() || make.isPending) return;
    const notes = `${t("ui.chat.taskSource", { name: author })}\n${message.value}\n\n${addressOf(message)}`;
    make.mutate(
      { title: title.trim(), notes, assigneeId, ...(dueDate && { dueDate }) },
      {
        onSuccess: (task) => {
          onClose();
          toast.success(t("ui.chat.taskMade", { title: task.title }), {
            label: t("ui.action.undo"),
            run: () => undo.mutateAsync(task.id),
            undone: t("ui.undo.created", { title: task.title }),
          });
        },
      },
    );
  };
  return (
    <Dialog
      title={t("ui.chat.makeTask")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="chat-task" disabled={!title.trim()} busy={make.isPending}>
            {t("ui.chat.addTask")}
          </Button>
        </>
      }
    >
      <form id="chat-task" onSubmit={submit} className="grid grid-cols-1 gap-4">
        {make.error && !fieldError(make.error, "title") && <Alert kind="error">{errorText(make.error)}</Alert>}
        <TextField
          label={t("ui.chat.taskTitle")}
          autoFocus
          maxLength={maxTitleLength}
          autoComplete="off"
          value={title}
          error={fieldError(make.error, "title")}
          onChange={(event) => setTitle(event.target.value)}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label={t("ui.tasks.assignee")}
            value={assigneeId}
            onChange={setAssignee}
            options={people.map((one) => ({
              value: one.id,
              label: one.name,
              icon: <Avatar name={one.name} src={one.avatar} size={24} />,
            }))}
          />
          <DateField label={t("ui.chat.taskDue")} value={dueDate} onChange={setDue} />
        </div>
        <p className="text-sm text-muted">{t("ui.chat.taskHint")}</p>
      </form>
    </Dialog>
  );
}
