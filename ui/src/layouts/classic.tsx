import { Brand } from "./parts/brand";
import { SidePage } from "./parts/side-page";
import { TreeColumn } from "./parts/tree-column";
import { VerticalNavigation } from "./parts/vertical-navigation";
import type { LayoutSlots } from "./slots";

/** The tree in a dark column. */
export function ClassicLayout(slots: LayoutSlots) {
  return (
    <SidePage
      slots={slots}
      width={280}
      overHead={<Brand company={slots.company} logo={slots.logo} ground="dark" className="flex-1" />}
      column={(state) => (
        <TreeColumn slots={slots} state={state}>
          <VerticalNavigation items={slots.navigation.default} over={state.over} onFollow={state.onFollow} />
        </TreeColumn>
      )}
    />
  );
}
