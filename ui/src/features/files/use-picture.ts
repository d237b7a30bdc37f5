import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { pictureTypes, upload } from "./data";
import { useFileLimit } from "./use-file-limit";

/** Uploads a picture; reports why one was refused. */
export function usePicture(onChange: (url: string) => void) {
  const { t } = useTranslation();
  const limit = useFileLimit();
  const [wrong, setWrong] = useState<string | undefined>();
  const { mutate, isPending } = useMutation({
    mutationFn: upload,
    meta: { handled: true },
    onSuccess: ({ url }) => onChange(url),
    onError: (error) => setWrong(errorText(error)),
  });
  const take = (file: File | undefined) => {
    if (!file) return;
    if (!pictureTypes.includes(file.type)) setWrong(t("ui.files.pictureType"));
    else if (limit.isTooLarge(file)) setWrong(t("ui.files.pictureSize", { max: limit.text }));
    else {
      setWrong(undefined);
      mutate(file);
    }
  };
  const hint = limit.text && t("ui.files.pictureHint", { max: limit.text });
  return { take, wrong, hint, busy: isPending, accept: pictureTypes.join(",") };
}
