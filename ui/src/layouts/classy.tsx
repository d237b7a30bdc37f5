import { Avatar } from "@/components/avatar";
import { Brand } from "./parts/brand";
import { SidePage } from "./parts/side-page";
import { VerticalNavigation } from "./parts/vertical-navigation";
import type { LayoutSlots } from "./slots";

/** The signed-in member, above the tree. */
function PersonBlock({ person }: { person: LayoutSlots["person"] }) {
  return (
    <div className="flex flex-col items-center px-6 pt-2 pb-4 text-center">
      <Avatar name={person.name} src={person.avatar} size={80} />
      <p dir="auto" className="mt-3 w-full truncate font-semibold text-ink">
        {person.name}
      </p>
      <p className="w-full truncate text-sm text-muted">{person.email}</p>
    </div>
  );
}

/** The member, their notifications and their menu in a dark column above the tree. */
export function ClassyLayout(slots: LayoutSlots) {
  const own = (
    <div className="flex items-center">
      {slots.tools.notifications}
      {slots.person.menu}
    </div>
  );
  return (
    <SidePage
      slots={slots}
      width={280}
      without={["notifications", "user"]}
      overHead={
        <>
          <Brand company={slots.company} logo={slots.logo} ground="dark" words="never" className="mr-auto" />
          {own}
        </>
      }
      column={(state) => (
        <>
          {!state.over && (
            <div className="flex h-16 shrink-0 items-center gap-1 pr-2 pl-4">
              <Brand company={slots.company} logo={slots.logo} ground="dark" className="flex-1" />
              {own}
            </div>
          )}
          <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-3 pb-4 [scrollbar-width:thin]">
            <PersonBlock person={slots.person} />
            <VerticalNavigation items={slots.navigation.default} over={state.over} onFollow={state.onFollow} />
          </div>
        </>
      )}
    />
  );
}
