import type { Customer } from "@/api/schema";
import { useMergeItem } from "@/features/duplicates/merge-menu";
import { RecordMenu } from "@/features/records/record-menu";
import { usePersonalData } from "./personal-data";

/** What is rarely done with a customer: merge it, export its personal data, delete it for good. */
export function CustomerMenu({ record, onGone }: { record: Customer; onGone: () => void }) {
  const merge = useMergeItem("customer", record.id);
  const personal = usePersonalData(record, onGone);
  return (
    <>
      {(merge.item || personal.items) && (
        <RecordMenu>
          {merge.item}
          {personal.items}
        </RecordMenu>
      )}
      {merge.dialog}
      {personal.dialog}
    </>
  );
}
