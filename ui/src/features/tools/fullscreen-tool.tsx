import { Maximize, Minimize } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { toggleFullscreen, useFullscreen } from "@/lib/fullscreen";

export function FullscreenTool() {
  const { t } = useTranslation();
  const on = useFullscreen();
  return (
    <IconButton
      label={t("ui.shell.fullscreen")}
      icon={on ? Minimize : Maximize}
      aria-pressed={on}
      onClick={() => void toggleFullscreen()}
    />
  );
}
