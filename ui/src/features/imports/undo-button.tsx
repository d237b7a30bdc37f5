import { Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RecordImport } from "@/api/schema";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { toast } from "@/lib/toast";
import { useImportCalls } from "./data";
import { refusalText } from "./refusal-text";

/** Undoes an import, after asking. */
export function UndoButton({ of, size }: { of: RecordImport; size?: "sm" }) {
  const { t } = useTranslation();
  const { undo } = useImportCalls();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button icon={Undo2} busy={undo.isPending} onClick={() => setAsked(true)} {...(size && { size })}>
        {t("ui.imports.undo")}
      </Button>
      <ConfirmDialog
        title={t("ui.imports.undoTitle")}
        text={t("ui.imports.undoText")}
        confirm={t("ui.imports.undo")}
        isOpen={isAsked}
        onOpenChange={setAsked}
        onConfirm={() => undo.mutate(of.id, { onError: (error) => toast.error(refusalText(error)) })}
      />
    </>
  );
}
