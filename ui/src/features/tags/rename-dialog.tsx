import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Tag } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { formatNumber } from "@/lib/format";
import { tagCalls } from "./data";
import { followTagChange, mergeTags, refusalText } from "./tag-work";

/** What the server accepts. */
const maxLength = 50;

/** Returns a tag as the server stores it. */
export const plainTag = (text: string) => text.trim().replace(/\s+/g, " ").toLocaleLowerCase();

interface FrameProps {
  title: string;
  submit: string;
  isDisabled: boolean;
  run: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** Begins a change, and closes once the server has accepted it. */
function ChangeDialog({ title, submit, isDisabled, run, onClose, children }: FrameProps) {
  const { t } = useTranslation();
  const form = useId();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isDisabled) return;
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onClose();
    } catch (refusal) {
      setError(refusalText(refusal));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={title}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form={form} busy={busy} disabled={isDisabled}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={form} className="grid grid-cols-1 gap-4" onSubmit={(event) => void send(event)}>
        {error && <Alert kind="error">{error}</Alert>}
        {children}
      </form>
    </Dialog>
  );
}

interface RenameDialogProps {
  tag: Tag;
  tags: Tag[];
  /** Receives the tag that takes the place of others, once the server has accepted it. */
  onBegun: (to: string) => void;
  onClose: () => void;
}

/** Renames a tag in all records; says so before it is merged into another one. */
export function RenameDialog({ tag: { tag, records }, tags, onBegun, onClose }: RenameDialogProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(tag);
  const to = plainTag(name);
  const other = tags.find((one) => one.tag === to && one.tag !== tag);
  const recordsText = (number: number) => t("ui.tags.records", { count: number, total: formatNumber(number) });
  return (
    <ChangeDialog
      title={t("ui.tags.renameNamed", { tag })}
      submit={t(other ? "ui.tags.merge" : "ui.tags.rename")}
      isDisabled={!to || to === tag}
      run={async () => {
        followTagChange(await tagCalls.rename(tag, to));
        onBegun(to);
      }}
      onClose={onClose}
    >
      <TextField
        label={t("ui.tags.newName")}
        value={name}
        maxLength={maxLength}
        autoComplete="off"
        autoFocus
        dir="auto"
        onChange={(event) => setName(event.target.value)}
      />
      <div role="status">
        {other ? (
          <Alert kind="info">
            {t("ui.tags.mergeText", { tag, to, records: recordsText(records), others: recordsText(other.records) })}
          </Alert>
        ) : (
          <p className="text-sm text-muted">{t("ui.tags.renameText", { records: recordsText(records) })}</p>
        )}
      </div>
    </ChangeDialog>
  );
}

/** Merges several tags into one of them. */
export function MergeDialog({ tags, onBegun, onClose }: Omit<RenameDialogProps, "tag">) {
  const { t } = useTranslation();
  const [to, setTo] = useState(tags[0]?.tag ?? "");
  return (
    <ChangeDialog
      title={t("ui.tags.mergeTitle", { count: tags.length, total: formatNumber(tags.length) })}
      submit={t("ui.tags.merge")}
      isDisabled={!to}
      run={async () => {
        await mergeTags(
          tags.map(({ tag }) => tag).filter((tag) => tag !== to),
          to,
        );
        onBegun(to);
      }}
      onClose={onClose}
    >
      <Select
        label={t("ui.tags.mergeInto")}
        value={to}
        onChange={setTo}
        options={tags.map(({ tag, records }) => ({
          value: tag,
          label: `${tag} (${t("ui.tags.records", { count: records, total: formatNumber(records) })})`,
        }))}
      />
      <p className="text-sm text-muted">{t("ui.tags.mergeManyText")}</p>
    </ChangeDialog>
  );
}
