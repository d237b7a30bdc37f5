import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import { useUser } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { type ContactOf, useActivityDraft, useLogging } from "./activities";
import { NewActivity } from "./new-activity";

function LogDialog({ record }: { record: ContactOf & { name: string } }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const [draft, setDraft] = useActivityDraft(me, record);
  const close = () => useLogging.setState({ record: undefined });
  return (
    <Dialog title={t("ui.activities.logWith", { name: record.name })} isOpen onOpenChange={close}>
      <NewActivity
        record={record}
        // Calls are logged most often.
        draft={{ ...draft, type: draft.type ?? "call" }}
        onDraft={setDraft}
        onLogged={(type) => {
          close();
          toast.success(t(`ui.activities.logged.${type}`));
        }}
      />
    </Dialog>
  );
}

/** The dialog that logs an activity on a record of a list; `LogButton` opens it. */
export function LogDialogs() {
  const { record } = useLogging();
  return record && <LogDialog key={record.id} record={record} />;
}
