import { Link2Off } from "lucide-react";
import type { ReactNode } from "react";
import { Outcome, OutcomeText } from "./outcome";

/** A link that was used, has run out, or did not come whole. */
export function LinkGone({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Outcome icon={Link2Off} tone="bad" title={title}>
      <OutcomeText>{text}</OutcomeText>
      {children}
    </Outcome>
  );
}
