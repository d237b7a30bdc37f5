import { create } from "zustand";
import type { Company, User } from "@/api/schema";
import { useSession } from "@/api/session";
import { useCompanyInfo } from "@/shell/company-info";

export type Audience = "me" | "company";

/** The part of the appearance that is previewed; null stands for the company's setting. */
export interface Appearance {
  layout?: string | null;
  scheme?: string | null;
}

interface Preview {
  me: Appearance;
  company: Appearance;
  /** The audience whose preview is shown; the other one is kept. */
  shown: Audience;
}

const key = "atrium.look";
const none: Preview = { me: {}, company: {}, shown: "me" };

/** Reads the preview of this tab, which survives a reload. */
function readPreview(): Preview {
  try {
    return { ...none, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Preview>) };
  } catch {
    return none;
  }
}

/** Layout and colours that are previewed before they are saved. */
export const usePreview = create<Preview>(readPreview);

usePreview.subscribe((trial) => {
  try {
    if (isPreviewing(trial)) sessionStorage.setItem(key, JSON.stringify(trial));
    else sessionStorage.removeItem(key);
  } catch {
    // Without storage a preview lasts as long as the page.
  }
});
// A preview belongs to the member who started it.
useSession.subscribe(({ state }) => state === "guest" && usePreview.setState(none));

const isEmpty = (appearance: Appearance) => Object.keys(appearance).length === 0;

/** Checks whether a preview is shown. */
export const isPreviewing = (trial: Preview) => !isEmpty(trial[trial.shown]);

/** Previews a choice; a choice equal to the saved one ends the preview. */
export function previewAppearance(audience: Audience, part: keyof Appearance, choice: string | null, saved: string | null) {
  usePreview.setState((trial) => {
    const { [part]: _before, ...rest } = trial[audience];
    const appearance: Appearance = choice === saved ? rest : { ...rest, [part]: choice };
    const other: Audience = audience === "me" ? "company" : "me";
    return { [audience]: appearance, shown: isEmpty(appearance) && !isEmpty(trial[other]) ? other : audience };
  });
}

/** Ends a preview, after it was saved or discarded. */
export function endPreview(audience: Audience) {
  usePreview.setState((trial) => {
    const other: Audience = audience === "me" ? "company" : "me";
    return { [audience]: {}, shown: isEmpty(trial[other]) ? audience : other };
  });
}

/** Returns the effective appearance: the preview, else the member's own setting, else the company's. */
export function appearanceOf(
  trial: Preview,
  user: Pick<User, "layout" | "scheme"> | undefined,
  company: Pick<Company, "layout" | "color_scheme">,
) {
  const tried = trial[trial.shown];
  const pick = (choice: string | null | undefined, own: string | null | undefined, all: string) =>
    choice === undefined ? (own ?? all) : (choice ?? all);
  return {
    layout: pick(tried.layout, user?.layout, company.layout),
    scheme: pick(tried.scheme, user?.scheme, company.color_scheme),
  };
}

/** The current appearance, updated when it changes. */
export function useAppearance() {
  const trial = usePreview();
  const user = useSession((state) => state.user);
  const company = useCompanyInfo((state) => state.company);
  return { ...appearanceOf(trial, user, company), previewing: isPreviewing(trial) };
}

/** Returns the current scheme, outside of components. */
export const currentScheme = () =>
  appearanceOf(usePreview.getState(), useSession.getState().user, useCompanyInfo.getState().company).scheme;
