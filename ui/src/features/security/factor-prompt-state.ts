import { create } from "zustand";
import type { PasskeyAnswer } from "@/api/schema";
import { isWrongCode, neededFactors } from "@/features/auth/data";

/** What proves who the member is besides the password. */
export interface FactorProof {
  code?: string;
  passkey?: PasskeyAnswer;
}

export interface FactorPromptState {
  /** The names of the factors that the server accepts. */
  factors: string[];
  /** Sends the request again. Rejects when the factor was wrong, so that another one can be given. */
  attempt: (proof: FactorProof) => Promise<void>;
  cancel: () => void;
}

/** The question that the dialog shows. */
export const useFactorPrompt = create<{ prompt: FactorPromptState | undefined }>(() => ({ prompt: undefined }));

/**
 * Sends a request that changes how the member signs in. When the server asks for a second factor, the dialog does, and the
 * request is sent again with it. Without one, the server's refusal is the result.
 */
export async function withFactor<Answer>(send: (proof: FactorProof) => Promise<Answer>): Promise<Answer> {
  try {
    return await send({});
  } catch (refusal) {
    const factors = neededFactors(refusal);
    if (!factors) throw refusal;
    return new Promise((resolve, reject) => {
      const close = () => useFactorPrompt.setState({ prompt: undefined });
      const attempt = async (proof: FactorProof) => {
        try {
          const answer = await send(proof);
          close();
          resolve(answer);
        } catch (error) {
          if (isWrongCode(error)) throw error;
          close();
          reject(error);
        }
      };
      const cancel = () => {
        close();
        reject(refusal);
      };
      useFactorPrompt.setState({ prompt: { factors, attempt, cancel } });
    });
  }
}
