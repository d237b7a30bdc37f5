import { SidePage } from "./parts/side-page";
import { TreeColumn } from "./parts/tree-column";
import { VerticalNavigation } from "./parts/vertical-navigation";
import type { LayoutSlots } from "./slots";

/** Icons in a light column, with their titles as tooltips. */
export function ThinLayout(slots: LayoutSlots) {
  return (
    <SidePage
      slots={slots}
      tone="light"
      overTone="dark"
      width={80}
      column={(state) => (
        <TreeColumn slots={slots} state={state} ground="light" narrow>
          <VerticalNavigation items={slots.navigation.compact} appearance="thin" over={state.over} onFollow={state.onFollow} />
        </TreeColumn>
      )}
    />
  );
}
