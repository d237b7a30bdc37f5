import { Ellipsis } from "lucide-react";
import type { ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton } from "@/components/menu";

/** What is rarely done with a record, in the head of its drawer. */
export function RecordMenu({ children }: Pick<ComponentProps<typeof Menu>, "children">) {
  const { t } = useTranslation();
  return (
    <MenuButton placement="bottom end" button={(attributes) => <IconButton label={t("ui.list.more")} icon={Ellipsis} {...attributes} />}>
      <Menu aria-label={t("ui.list.more")}>{children}</Menu>
    </MenuButton>
  );
}
