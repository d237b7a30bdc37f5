import { SidePage } from "./parts/side-page";
import { TreeColumn } from "./parts/tree-column";
import { VerticalNavigation } from "./parts/vertical-navigation";
import type { LayoutSlots } from "./slots";

/** Tiles in a dark column, whose branches open a second column. */
export function CompactLayout(slots: LayoutSlots) {
  return (
    <SidePage
      slots={slots}
      width={112}
      column={(state) => (
        <TreeColumn slots={slots} state={state} narrow>
          <VerticalNavigation items={slots.navigation.compact} appearance="compact" over={state.over} onFollow={state.onFollow} />
        </TreeColumn>
      )}
    />
  );
}
