import { errorText } from "@/api/errors";
import { useSession } from "@/api/session";
import { rememberLanguage, setLanguage } from "@/i18n";
import { toast } from "@/lib/toast";
import { useUpdateUser } from "../account/data";

/** Changes the language, and saves it in this browser and with the member. */
export function useChooseLanguage() {
  const { mutate } = useUpdateUser();
  return async (language: string) => {
    try {
      await setLanguage(language);
    } catch (error) {
      console.error(error);
      toast.error(errorText(error));
      return;
    }
    rememberLanguage(language);
    if (useSession.getState().state === "signed-in") mutate({ locale: language });
  };
}
