import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { maxFileBytes, pictureTypes, upload } from "./data";

/** Uploads a picture; reports why one was refused. */
export function usePicture(onChange: (url: string) => void) {
  const { t } = useTranslation();
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
    else if (file.size > maxFileBytes) setWrong(t("ui.files.pictureSize"));
    else {
      setWrong(undefined);
      mutate(file);
    }
  };
  return { take, wrong, busy: isPending, accept: pictureTypes.join(",") };
}
