import { readDraft, writeDraft } from "@/lib/drafts";

/** Input that is carried between the pages before sign-in; never a secret. */
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

/** Clears it after sign-in, so that the next person at this browser does not see it. */
export function forgetKept() {
  writeDraft("guest", "door", undefined);
}
