/** The selectable layouts. `empty` has no navigation; it is last, so that it is not chosen by accident. */
export const layouts = [
  "centered",
  "enterprise",
  "material",
  "modern",
  "classic",
  "classy",
  "compact",
  "dense",
  "futuristic",
  "thin",
  "empty",
] as const;

export type LayoutName = (typeof layouts)[number];

export interface LayoutSources {
  /** The company's choice. */
  company?: string | null | undefined;
  /** The member's own choice, which overrides the company's. */
  member?: string | null | undefined;
  /** The `layout` query parameter. */
  query?: string | null | undefined;
  /** The layouts that the matched routes require, from the root down. */
  routes?: (string | undefined)[];
}

function named(name: string | null | undefined): LayoutName | undefined {
  return layouts.find((layout) => layout === name);
}

/** Returns the layout to show: the configured one, overridden by the query parameter, overridden by the route. */
export function chooseLayout({ company, member, query, routes = [] }: LayoutSources): LayoutName {
  return [company, member, query, ...routes].reduce<LayoutName>((chosen, name) => named(name) ?? chosen, "modern");
}
