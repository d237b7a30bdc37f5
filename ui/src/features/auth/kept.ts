import { readDraft, writeDraft } from "@/lib/drafts";

/** What a guest typed, as one goes back and forth between the pages; never a secret. */
export interface Kept {
  email: string;
  name: string;
  company: string;
}

export function kept(): Kept {
  return { email: "", name: "", company: "", ...readDraft<Partial<Kept>>("guest", "door") };
}

export function keep(values: Partial<Kept>) {
  writeDraft("guest", "door", { ...kept(), ...values });
}

/** Whoever is in leaves nothing of it for the next one at this browser. */
export function forgetKept() {
  writeDraft("guest", "door", undefined);
}
