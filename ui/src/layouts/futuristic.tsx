import { Brand } from "./parts/brand";
import { SidePage } from "./parts/side-page";
import { TreeColumn } from "./parts/tree-column";
import { VerticalNavigation } from "./parts/vertical-navigation";
import type { LayoutSlots } from "./slots";

/** A column in the scheme's own dark; company and member stay while the tree scrolls. */
export function FuturisticLayout(slots: LayoutSlots) {
  const { person } = slots;
  return (
    <SidePage
      slots={slots}
      tone="deep"
      width={280}
      without={["user"]}
      overHead={<Brand company={slots.company} logo={slots.logo} ground="dark" className="flex-1" />}
      column={(state) => (
        <TreeColumn
          slots={slots}
          state={state}
          foot={
            <div className="flex shrink-0 items-center gap-3.5 border-t border-line px-6 py-6">
              {slots.tools.user}
              <div className="min-w-0">
                <p dir="auto" className="truncate font-semibold text-ink">
                  {person.name}
                </p>
                <p className="truncate text-xs text-muted">{person.email}</p>
              </div>
            </div>
          }
        >
          <VerticalNavigation items={slots.navigation.futuristic} over={state.over} onFollow={state.onFollow} />
        </TreeColumn>
      )}
    />
  );
}
