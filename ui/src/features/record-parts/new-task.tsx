import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { useUser } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { queryKeysOf } from "@/records/kinds";
import { addEntry } from "@/records/outbox";
import type { StepValues } from "./activities";
import { readConcerned } from "./concerned";
import type { ContactOf } from "./logging";
import { StepFields } from "./step-fields";

export interface NewTaskProps {
  record: ContactOf;
  values: StepValues | undefined;
  onChange: (values: StepValues) => void;
  /** Called when it was taken over: it is saved, or waits for a connection. */
  onAdded: () => void;
  /** Why the server refused it. */
  error: unknown;
  /** Returns whether what the server refused is shown again. */
  onRefused: (values: StepValues, error: unknown) => boolean;
}

/** Adds a task to a record, and what the record belongs to. Ctrl+Enter adds it, as its button does. */
export function NewTask({ record, values, onChange, onAdded, error, onRefused }: NewTaskProps) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const client = useQueryClient();
  const [isPending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  const isWrong = useRef(false);
  // Also in a dialog, which takes the focus when it opens.
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const task = values ?? { title: "", dueDate: null, assigneeId: me };
  const add = async () => {
    setPending(true);
    const title = task.title.trim();
    const input = { ...task, title, ...(await readConcerned(client, record)) };
    setPending(false);
    const isKept = addEntry(
      { kind: "task", input, record },
      {
        saved: () => {
          // It may be the next step of the record.
          for (const queryKey of queryKeysOf(record.kind)) void client.invalidateQueries({ queryKey });
          toast.success(t("ui.records.added", { title }));
        },
        waits: () => toast.info(t("ui.tasks.waits")),
        refused: (refusal) => onRefused(task, refusal),
      },
    );
    if (isKept) onAdded();
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setTried(true);
    if (!task.title.trim() || isWrong.current) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
      return;
    }
    if (!isPending) void add();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    form.current?.requestSubmit();
  };
  const isPlaced = (["title", "dueDate", "assigneeId"] as const).some((name) => fieldError(error, name));
  return (
    <form ref={form} noValidate onSubmit={send} onKeyDown={key} className="grid grid-cols-1 gap-3">
      {error !== undefined && !isPlaced && <Alert kind="error">{errorText(error)}</Alert>}
      <StepFields
        values={task}
        onChange={(change) => onChange({ ...task, ...change })}
        isTried={isTried}
        errorOf={(name) => fieldError(error, name)}
        onWrong={(wrong) => {
          isWrong.current = wrong;
        }}
      />
      <Button size="sm" variant="primary" type="submit" busy={isPending} className="justify-self-end">
        {t("ui.tasks.add")}
      </Button>
    </form>
  );
}
