import { readDraft, writeDraft } from "@/lib/drafts";

/** Input that is carried between the pages before sign-in; never a secret. */
export interface GuestInput {
  email: string;
  name: string;
  company: string;
}

export function readGuestInput(): GuestInput {
  return { email: "", name: "", company: "", ...readDraft<Partial<GuestInput>>("guest", "door") };
}

export function keepGuestInput(values: Partial<GuestInput>) {
  writeDraft("guest", "door", { ...readGuestInput(), ...values });
}

/** Clears it after sign-in, so that the next person at this browser does not see it. */
export function forgetGuestInput() {
  writeDraft("guest", "door", undefined);
}
