import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import { useUser } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { useEntryDraft } from "./activities";
import { type EntryType, type NamedContact, useLogging } from "./logging";
import { NewEntry } from "./new-entry";
import { useLogText } from "./use-log-text";

/** Adds an activity or a task to a record. */
export default function LogDialog({ record, type: asked }: { record: NamedContact; type: EntryType | undefined }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const [draft, setDraft] = useEntryDraft(me, record);
  // Calls are logged most often.
  const [type, setType] = useState(asked ?? draft.type ?? "call");
  const close = () => useLogging.setState({ record: undefined, type: undefined });
  return (
    <Dialog title={useLogText(record)} isOpen onOpenChange={close}>
      <NewEntry
        record={record}
        draft={{ ...draft, type }}
        onDraft={(change) => {
          if (change.type) setType(change.type);
          setDraft(change);
        }}
        onAdded={close}
        onLogged={(logged, waits) => (waits ? toast.info(t("ui.tasks.waits")) : toast.success(t(`ui.activities.logged.${logged}`)))}
      />
    </Dialog>
  );
}
