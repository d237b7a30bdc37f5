import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, SlidersHorizontal } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { errorText, fieldError } from "@/api/errors";
import type { FieldValues, Task } from "@/api/schema";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { useUser } from "@/features/account/data";
import { useFields } from "@/features/fields/data";
import { filledFields, NewFields } from "@/features/fields/new-fields";
import type { AnyList } from "@/features/lists/use-list";
import { readTyped, useTextDraft } from "@/lib/drafts";
import { toast } from "@/lib/toast";
import { isoDay } from "@/lib/zone";
import { addEntry, startEntries, useEntries } from "@/records/outbox";
import { firstPlaceQuery } from "./data";
import { firstOf } from "./order";
import type { TaskShow } from "./task-show";
import { WaitingTasks } from "./waiting-tasks";

/** Leads to the field that adds a task. */
export function focusLine(input: RefObject<HTMLInputElement | null>) {
  input.current?.focus();
  input.current?.scrollIntoView({ block: "center" });
}

/** The name of the draft of the field. */
const draftName = "task-line";

export interface TaskLineProps {
  list: AnyList;
  show: TaskShow;
  /** The input, for buttons that lead to it. */
  input: RefObject<HTMLInputElement | null>;
  /** The positions of all tasks; without them, the first one is read. */
  places?: { order: number }[] | undefined;
}

/** The field above the tasks that adds one before all others; it gets what the list is filtered by. */
export function TaskLine({ list, show, input, places }: TaskLineProps) {
  const { t } = useTranslation();
  const user = useUser();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { pathname } = useLocation();
  const [text, setText] = useTextDraft(user.id, draftName);
  const hasFields = useFields("task").length > 0;
  const [showsFields, setShowsFields] = useState(false);
  const [fields, setFields] = useState<FieldValues>({});
  const isWrong = useRef(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => startEntries(client, user.id), [client, user.id]);
  // Where a new task goes, in a list that does not show the first one.
  useQuery({ ...firstPlaceQuery, enabled: !places });

  const asked = pathname === "/tasks/new";
  useEffect(() => {
    if (asked) input.current?.focus();
  }, [asked, input]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const title = text.trim();
    if (!title || (showsFields && isWrong.current)) return;
    const assignee = show === "mine" ? "me" : list.onlyValue("assigneeId");
    const tag = list.onlyValue("tags");
    const concerned = (["customerId", "organizationId", "dealId"] as const).flatMap((column) => {
      const id = list.onlyValue(column);
      return id ? [[column, id]] : [];
    });
    const priority = list.onlyValue("priority");
    const before = places ?? client.getQueryData(firstPlaceQuery.queryKey);
    const task = {
      title,
      ...(before && { order: firstOf(undefined, before) - useEntries.getState().entries.length }),
      ...Object.fromEntries(concerned),
      ...(priority && { priority: Number(priority) as Task["priority"] }),
      ...(assignee && { assigneeId: assignee === "me" ? user.id : assignee }),
      ...(show === "today" && { dueDate: isoDay() }),
      ...(tag && { tags: [tag] }),
      ...filledFields(fields),
    };
    const isKept = addEntry(
      { kind: "task", input: task },
      {
        saved: () => {
          setFields({});
          setError(undefined);
          void client.invalidateQueries({ queryKey: firstPlaceQuery.queryKey });
          // The list may not show it.
          if (!places) toast.success(t("ui.records.added", { title }));
        },
        refused: (refusal) => {
          setError(refusal);
          toast.error(errorText(refusal));
          // A newer text keeps the field.
          if (readTyped<string>(user.id, draftName)) return false;
          setText(title);
          return true;
        },
      },
    );
    if (isKept) setText("");
  };
  return (
    <>
      <form
        onSubmit={submit}
        className="no-print flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-1.5 focus-within:bg-tint-soft/50 sm:px-5"
      >
        <span
          aria-hidden
          className="grid size-5.5 shrink-0 place-items-center rounded-full border-[1.75px] border-dashed border-gray-400 text-gray-500"
        >
          <Plus size={13} />
        </span>
        <input
          ref={input}
          aria-label={t("ui.tasks.add")}
          placeholder={t("ui.tasks.quickAdd")}
          value={text}
          autoComplete="off"
          enterKeyHint="done"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            setText("");
            event.currentTarget.blur();
            if (asked) void navigate(`/tasks${list.addressText}`, { replace: true, preventScrollReset: true });
          }}
          className="h-10 min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
        />
        {text.trim() && hasFields && (
          <IconButton
            label={t("ui.fields.title")}
            icon={SlidersHorizontal}
            size="sm"
            aria-expanded={showsFields}
            onClick={() => setShowsFields(!showsFields)}
          />
        )}
        {text.trim() && (
          <Button size="sm" variant="primary" type="submit">
            {t("ui.action.add")}
          </Button>
        )}
        {text.trim() && showsFields && (
          <NewFields
            kind="task"
            value={fields}
            onChange={setFields}
            onWrong={(wrong) => {
              isWrong.current = wrong;
            }}
            error={(key) => fieldError(error, `fields.${key}`)}
            className="w-full max-w-160 pt-2 pb-4 pl-8.5"
          />
        )}
      </form>
      <WaitingTasks />
    </>
  );
}
