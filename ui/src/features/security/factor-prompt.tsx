import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { isWrongCode } from "@/features/auth/data";
import { FactorForm } from "@/features/auth/factor-form";
import { type FactorPromptState, type FactorProof, useFactorPrompt } from "./factor-prompt-state";

function Question({ factors, attempt, cancel }: FactorPromptState) {
  const { t } = useTranslation();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const send = async (proof: FactorProof) => {
    setBusy(true);
    setError(undefined);
    try {
      await attempt(proof);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t("ui.auth.secondFactor")} isOpen onOpenChange={cancel}>
      <FactorForm
        factors={factors}
        message={error === undefined ? undefined : errorText(error)}
        wrongCode={isWrongCode(error)}
        busy={busy}
        onCode={(code) => void send({ code })}
        onPasskey={(passkey) => void send({ passkey })}
        head={(lead) => <p className="text-soft">{lead}</p>}
        foot={
          <Button variant="ghost" wide onClick={cancel}>
            {t("ui.action.cancel")}
          </Button>
        }
      />
    </Dialog>
  );
}

/** The dialog for a second factor, shared by all changes of how the member signs in. */
export function FactorPrompt() {
  const prompt = useFactorPrompt((state) => state.prompt);
  return prompt && <Question {...prompt} />;
}
