import { CalendarClock, SquareUser } from "lucide-react";
import { createContext, useContext } from "react";
import type { Deal } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { TagList } from "@/components/tag-list";
import { moneyText } from "@/features/fields/money";
import { type Named, useMembers } from "@/features/team/data";
import { isoDay } from "@/lib/zone";
import { buyerOf } from "../buyer";
import { ExpectedDay } from "../expected-day";

/** The members by id, read once for all cards; undefined until they have been read. */
export const MembersContext = createContext<Map<string, Named> | undefined>(undefined);

function Picture({ name, avatar }: Pick<Named, "name" | "avatar">) {
  return (
    <span title={name} className="relative flex shrink-0">
      <Avatar name={name} src={avatar} size={22} />
      <span className="sr-only">{name}</span>
    </span>
  );
}

/** The picture of a member who has left the company. */
function Former({ id }: { id: string }) {
  const { find } = useMembers();
  const member = find(id);
  return member && <Picture {...member} />;
}

function Owner({ id }: { id: string }) {
  const members = useContext(MembersContext);
  const member = members?.get(id);
  if (member) return <Picture {...member} />;
  return members && <Former id={id} />;
}

/** What a card of the board shows of a deal below its title: who may buy, its value, when it is expected, its owner and its tags. */
export function DealCard({ deal }: { deal: Deal }) {
  const { value, expectedDay, ownerId, tags } = deal;
  const buyer = buyerOf(deal);
  return (
    <>
      {buyer && (
        <p className="mt-0.5 flex items-center gap-1.5 text-sm text-soft">
          {buyer.kind === "customer" && <SquareUser aria-hidden size={14} className="shrink-0 text-muted" />}
          <span dir="auto" className="truncate">
            {buyer.name}
          </span>
        </p>
      )}
      {(value || expectedDay || ownerId) && (
        <div className="mt-1.5 flex min-h-5.5 flex-wrap items-center gap-x-2 gap-y-0.5">
          {value && <span className="max-w-full truncate text-sm font-medium text-body tabular-nums">{moneyText(value)}</span>}
          {expectedDay && (
            <span className="flex items-center gap-1">
              {/* Not only by its colour. */}
              {expectedDay < isoDay() && <CalendarClock aria-hidden size={14} className="text-bad" />}
              <ExpectedDay day={expectedDay} isOpen className="!text-xs" />
            </span>
          )}
          <span className="ml-auto flex">{ownerId && <Owner id={ownerId} />}</span>
        </div>
      )}
      {tags.length > 0 && (
        <p className="mt-1.5">
          <TagList kind="deal" tags={tags} isStill />
        </p>
      )}
    </>
  );
}
