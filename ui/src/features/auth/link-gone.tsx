import { Link2Off } from "lucide-react";
import type { ReactNode } from "react";
import { Outcome, OutcomeText } from "./outcome";

/** The page for a link that was used, has expired or is incomplete. */
export function LinkGone({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Outcome icon={Link2Off} tone="bad" title={title}>
      <OutcomeText>{text}</OutcomeText>
      {children}
    </Outcome>
  );
}
