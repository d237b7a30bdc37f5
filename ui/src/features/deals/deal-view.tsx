import { CalendarDays, UserRound } from "lucide-react";
import type { Deal } from "@/api/schema";
import { NameFact } from "@/features/contact/name-and-tags";
import { RecordFacts } from "@/features/records/record-facts";

/** A deal's data; empty fields are hidden. */
export function DealView({ record: deal }: { record: Deal }) {
  return (
    <div className="px-5 pt-5 sm:px-6">
      <NameFact kind="deal" input="title" name={deal.title} />
      <RecordFacts
        kind="deal"
        record={deal}
        facts={[
          { input: "expectedDay", icon: CalendarDays },
          { input: "ownerId", icon: UserRound },
        ]}
      />
    </div>
  );
}
