import { type RefObject, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { useUser } from "@/features/account/data";
import { Composer } from "@/features/content/composer";
import { changed, type Draft, isEmptyDraft, type Revision, useDraft } from "@/features/content/draft";
import { useUploads } from "@/features/content/use-uploads";
import { useMembers } from "@/features/team/data";
import { addEntry } from "@/records/outbox";
import type { TimelineOf } from "@/records/timelines";
import { useCommentCalls } from "./data";

export interface CommentBoxProps {
  record: TimelineOf;
  /** The comment that is being edited, instead of a new one. */
  editing: Revision | undefined;
  onEditing: (next: Revision | undefined) => void;
  input: RefObject<HTMLTextAreaElement | null>;
}

/** The field for a new comment, or for one that is being edited. What is not sent survives a reload. */
export function CommentBox({ record, editing, onEditing, input }: CommentBoxProps) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const { members } = useMembers();
  const { edit } = useCommentCalls(record);
  const [draft, setDraft] = useDraft(me, `comment.${record.id}`);
  const files = useUploads(draft.attachments.length, (one) => setDraft(({ attachments }) => ({ attachments: [...attachments, one] })));
  const [error, setError] = useState<unknown>();
  const send = (sent: Draft) => {
    setError(undefined);
    const { text: value, mentions, references, attachments } = sent;
    const input = { value, mentions, references, attachments: attachments.map(({ path }) => path) };
    /** Shows it in the field again, unless there is something newer. */
    const takeBack = () => {
      let isTaken = false;
      setDraft((now) => {
        isTaken = isEmptyDraft(now);
        return isTaken ? sent : {};
      });
      return isTaken;
    };
    const isKept = addEntry(
      { kind: "comment", record, input },
      {
        saved: () => undefined,
        refused: (refusal) => {
          setError(refusal);
          return takeBack();
        },
      },
    );
    if (!isKept) takeBack();
  };
  return (
    <div className="rounded-xl border border-line bg-surface [&_form]:border-t-0">
      {error !== undefined && (
        <div className="p-2.5 pb-0">
          <Alert kind="error">{errorText(error)}</Alert>
        </div>
      )}
      <Composer
        people={members.filter(({ id, state }) => id !== me && state === "active")}
        labels={{ write: t("ui.timeline.write"), edit: t("ui.timeline.edit"), send: t("ui.timeline.send") }}
        draft={editing?.draft ?? draft}
        onDraft={(change) => {
          if (!editing) return setDraft(change);
          onEditing({ ...editing, draft: changed(editing.draft, change) });
        }}
        files={files}
        editing={
          editing && {
            value: editing.value,
            isKept: editing.isKept,
            isPending: edit.isPending,
            error: edit.error,
            // Also after the record is closed, where the callbacks of this field no longer run.
            save: (change) =>
              void edit.mutateAsync({ id: editing.id, ...change }).then(
                () => onEditing(undefined),
                () => undefined,
              ),
            stop: () => {
              edit.reset();
              onEditing(undefined);
            },
          }
        }
        onEditLast={() => false}
        onSend={send}
        input={input}
      />
    </div>
  );
}
