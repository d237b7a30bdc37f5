import type { ReactNode } from "react";
import type { Stamped } from "@/api/schema";
import { useAtLeast } from "@/lib/media";
import type { CreatedKind } from "@/records/kinds";
import { ContactFacts, type ContactState } from "./contact-state";
import { NameFact } from "./name-and-tags";
import { QuickActions, type QuickActionsProps } from "./quick-actions";

export interface ContactHeadProps extends Pick<QuickActionsProps, "reach"> {
  kind: CreatedKind & QuickActionsProps["record"]["kind"];
  record: Stamped & ContactState;
  name: string;
  /** The field of the name in the form. */
  input?: "name" | "title";
  /** The cover above the name. */
  cover?: string | undefined;
  picture?: ReactNode;
  /** A line below the name. */
  line?: ReactNode;
  /** Status, tags and what else says how things are. */
  children?: ReactNode;
}

/** The head of a record that one has contact with: who it is, how things are, and what one press does with it. */
export function ContactHead({ kind, record, name, input, cover, picture, line, children, reach }: ContactHeadProps) {
  const isPhone = !useAtLeast("sm");
  return (
    <div className="@container">
      {cover && <img src={cover} alt="" className="-mx-5 -mt-5 mb-4 block h-28 w-[calc(100%+2.5rem)] max-w-none object-cover" />}
      <div className="flex items-center gap-4 @max-[17.75rem]:flex-col @max-[17.75rem]:items-start @max-[17.75rem]:gap-2.5">
        {picture}
        <div className="w-full min-w-0 flex-1">
          <NameFact kind={kind} name={name} {...(input && { input })} />
          {line && <div className="mt-0.5 text-soft [overflow-wrap:anywhere]">{line}</div>}
        </div>
      </div>
      {children}
      <QuickActions record={{ kind, id: record.id, name }} reach={reach} isShort={isPhone} className="mt-5" />
      <ContactFacts {...record} />
    </div>
  );
}
