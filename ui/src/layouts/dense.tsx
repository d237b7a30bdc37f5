import { ArrowLeftRight } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { useAtLeast } from "@/lib/media";
import { Brand } from "./parts/brand";
import { DenseColumn } from "./parts/dense-column";
import { SidePage } from "./parts/side-page";
import { TreeColumn } from "./parts/tree-column";
import { VerticalNavigation } from "./parts/vertical-navigation";
import type { LayoutSlots } from "./slots";

/** A dark column of icons that widens over the page; a button keeps it wide. */
export function DenseLayout(slots: LayoutSlots) {
  const { t } = useTranslation();
  const roomy = useAtLeast("md");
  const [dense, setDense] = useState(true);
  // Resets whenever the window becomes small or large.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the window becomes small or large
  useEffect(() => setDense(true), [roomy]);
  return (
    <SidePage
      slots={slots}
      width={dense ? 80 : 280}
      overWidth={280}
      overHead={<Brand company={slots.company} logo={slots.logo} ground="dark" className="flex-1" />}
      start={
        <IconButton
          label={t("ui.shell.narrow")}
          icon={ArrowLeftRight}
          aria-pressed={dense}
          onClick={() => setDense(!dense)}
          className="max-md:hidden"
        />
      }
      column={(state) =>
        state.over ? (
          <TreeColumn slots={slots} state={state}>
            <VerticalNavigation items={slots.navigation.default} over onFollow={state.onFollow} />
          </TreeColumn>
        ) : (
          <DenseColumn slots={slots} dense={dense} />
        )
      }
    />
  );
}
