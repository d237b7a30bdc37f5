import { api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { CompanyChoice, SignedIn, SignInInput } from "@/api/schema";
import { accept } from "@/api/session";

export type SignInResult = { state: "signed-in" } | { state: "choose-company"; companies: CompanyChoice[] };

/** Signs in; a person of several companies is asked which one. */
export async function signIn(input: SignInInput): Promise<SignInResult> {
  try {
    accept(await api.post<SignedIn>("/api/auth/sign-in", input));
    return { state: "signed-in" };
  } catch (error) {
    if (error instanceof ApiError && error.code === "choose_company") {
      const { companies } = error.error as { companies?: CompanyChoice[] };
      if (companies && companies.length > 0) return { state: "choose-company", companies };
    }
    throw error;
  }
}
