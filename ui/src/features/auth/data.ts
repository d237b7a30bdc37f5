import { api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { Activation, CompanyChoice, PasskeyAnswer, SignedIn, SignInInput, SignUp, UnlockInput } from "@/api/schema";
import { accept } from "@/api/session";
import type { PasskeyUse } from "@/lib/webauthn";
import { forgetGuestInput } from "./guest-input";

export type SignInResult =
  | { state: "signed-in" }
  | { state: "choose-company"; companies: CompanyChoice[] }
  | { state: "second-factor"; factors: string[] };

/** Starts the session of a sign-in response. */
function enter(signed: SignedIn) {
  forgetGuestInput();
  accept(signed);
}

/** Signs in. The response may ask for a company, or for a second factor. */
export async function signIn(input: SignInInput): Promise<SignInResult> {
  try {
    enter(await api.post("/api/auth/sign-in", input));
    return { state: "signed-in" };
  } catch (error) {
    if (error instanceof ApiError) {
      const { companies, factors } = error.problem;
      if (error.code === "choose_company" && companies?.length) return { state: "choose-company", companies };
      if (error.code === "second_factor_needed" && factors?.length) return { state: "second-factor", factors };
    }
    throw error;
  }
}

/** Asks the browser for a passkey. */
export async function askForPasskey(use?: PasskeyUse): Promise<PasskeyAnswer> {
  const { showPasskey } = await import("@/lib/webauthn");
  const { challengeId, options } = await api.post("/api/auth/passkey/options");
  return { challengeId, credential: await showPasskey(options, use) };
}

/** Signs in with a passkey alone. */
export async function signInByPasskey(rememberMe: boolean, use?: PasskeyUse): Promise<void> {
  const answer = await askForPasskey(use);
  enter(await api.post("/api/auth/passkey/sign-in", { ...answer, rememberMe }));
}

export const signUp = (form: SignUp) => api.post("/api/auth/sign-up", form);

export const resendConfirmation = (email: string) => api.post("/api/auth/resend-confirmation", { email });

export const forgotPassword = (email: string) => api.post("/api/auth/forgot-password", { email });

export const resetPassword = (token: string, password: string) => api.post("/api/auth/reset-password", { token, password });

export const readLink = (token: string) => api.post("/api/auth/link", { token });

/** Completes the action of an e-mailed link, and signs in. */
export async function activate(form: Activation): Promise<void> {
  enter(await api.post("/api/auth/activate-account", form));
}

/** Unlocks the session in all tabs. */
export async function unlock(form: UnlockInput): Promise<void> {
  enter(await api.post("/api/auth/unlock-session", form));
}

/** Returns the remaining attempts, if the server states them. */
export function attemptsLeft(error: unknown): number | undefined {
  return error instanceof ApiError ? error.problem.attemptsLeft : undefined;
}

/** Whether the error says that a second factor was wrong. */
export const isWrongCode = (error: unknown) => error instanceof ApiError && error.code === "invalid_code";

/** Returns the second factors that the server requires beside the password. */
export function neededFactors(error: unknown): string[] | undefined {
  if (!(error instanceof ApiError) || error.code !== "second_factor_needed") return undefined;
  return error.problem.factors;
}
