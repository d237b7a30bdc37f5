import { api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type {
  Activation,
  CompanyChoice,
  MailedLink,
  PasskeyAnswer,
  PasskeyQuestion,
  SignedIn,
  SignedUp,
  SignInInput,
  SignUp,
} from "@/api/schema";
import { accept } from "@/api/session";
import type { PasskeyUse } from "@/lib/webauthn";
import { forgetKept } from "./kept";

/** Second factors. */
export type Factor = "totp" | "recovery" | "passkey";

export type SignInResult =
  | { state: "signed-in" }
  | { state: "choose-company"; companies: CompanyChoice[] }
  | { state: "second-factor"; factors: Factor[] };

/** Starts the session of a sign-in response. */
function enter(signed: SignedIn) {
  forgetKept();
  accept(signed);
}

/** Signs in. The response may ask for a company, or for a second factor. */
export async function signIn(input: SignInInput): Promise<SignInResult> {
  try {
    enter(await api.post<SignedIn>("/api/auth/sign-in", input));
    return { state: "signed-in" };
  } catch (error) {
    if (error instanceof ApiError) {
      const { companies, factors } = error.error as { companies?: CompanyChoice[]; factors?: Factor[] };
      if (error.code === "choose_company" && companies?.length) return { state: "choose-company", companies };
      if (error.code === "second_factor_needed" && factors?.length) return { state: "second-factor", factors };
    }
    throw error;
  }
}

/** Asks the browser for a passkey. */
export async function askForPasskey(use?: PasskeyUse): Promise<PasskeyAnswer> {
  const { showPasskey } = await import("@/lib/webauthn");
  const { challengeId, options } = await api.post<PasskeyQuestion>("/api/auth/passkey/options");
  return { challengeId, credential: await showPasskey(options, use) };
}

/** Signs in with a passkey alone. */
export async function signInByPasskey(rememberMe: boolean, use?: PasskeyUse): Promise<void> {
  const answer = await askForPasskey(use);
  enter(await api.post<SignedIn>("/api/auth/passkey/sign-in", { ...answer, rememberMe }));
}

export const signUp = (form: SignUp) => api.post<SignedUp>("/api/auth/sign-up", form);

export const resendConfirmation = (email: string) => api.post<unknown>("/api/auth/resend-confirmation", { email });

export const forgotPassword = (email: string) => api.post<unknown>("/api/auth/forgot-password", { email });

export const resetPassword = (token: string, password: string) => api.post<void>("/api/auth/reset-password", { token, password });

export const readLink = (token: string) => api.post<MailedLink>("/api/auth/link", { token });

/** Completes the action of an e-mailed link, and signs in. */
export async function activate(form: Activation): Promise<void> {
  enter(await api.post<SignedIn>("/api/auth/activate-account", form));
}

export interface Unlocking {
  password?: string;
  code?: string;
  passkey?: PasskeyAnswer;
}

/** Unlocks the session in all tabs. */
export async function unlock(form: Unlocking): Promise<void> {
  enter(await api.post<SignedIn>("/api/auth/unlock-session", form));
}

/** Returns the remaining attempts, if the server states them. */
export function attemptsLeft(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return (error.error as { attemptsLeft?: number } | undefined)?.attemptsLeft;
}

/** Whether the error says that a second factor was wrong. */
export const isWrongCode = (error: unknown) => error instanceof ApiError && error.code === "invalid_code";

/** Returns the second factors that the server requires beside the password. */
export function neededFactors(error: unknown): Factor[] | undefined {
  if (!(error instanceof ApiError) || error.code !== "second_factor_needed") return undefined;
  return (error.error as { factors?: Factor[] } | undefined)?.factors;
}
