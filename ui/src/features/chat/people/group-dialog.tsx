import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { TextField } from "@/components/text-field";
import { useGroupCalls } from "./data";
import { maxNameLength } from "./group-panel";
import { MemberPicks } from "./member-picks";

/** Creates a group conversation. */
export default function GroupDialog({ onOpened, onClose }: { onOpened: (chatId: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const { create } = useGroupCalls();
  const [name, setName] = useState("");
  const [memberIds, setMembers] = useState<string[]>([]);
  const ready = name.trim() !== "" && memberIds.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || create.isPending) return;
    create.mutate(
      { name: name.trim(), memberIds },
      {
        onSuccess: (chat) => {
          onClose();
          onOpened(chat.id);
        },
      },
    );
  };
  const wrong = fieldError(create.error, "name");
  return (
    <Dialog
      title={t("ui.chat.newGroup")}
      isOpen
      onOpenChange={(open) => !open && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="chat-group" disabled={!ready} busy={create.isPending}>
            {t("ui.chat.createGroup")}
          </Button>
        </>
      }
    >
      <form id="chat-group" onSubmit={submit} className="grid grid-cols-1 gap-4">
        {create.error && !wrong && <Alert kind="error">{errorText(create.error)}</Alert>}
        <TextField
          label={t("ui.chat.groupName")}
          autoFocus
          maxLength={maxNameLength}
          autoComplete="off"
          value={name}
          error={wrong}
          onChange={(event) => setName(event.target.value)}
        />
        <MemberPicks chosen={memberIds} onChange={setMembers} />
      </form>
    </Dialog>
  );
}
