import { create } from "zustand";
import type { Company, User } from "@/api/schema";
import { useSession } from "@/api/session";
import { useCompanyInfo } from "@/shell/company-info";

export type Audience = "me" | "company";

/** The part of the look that is being tried out; null is "as the company has it". */
export interface Appearance {
  layout?: string | null;
  scheme?: string | null;
}

interface Preview {
  me: Appearance;
  company: Appearance;
  /** Whose trial shows; the other one waits. */
  shown: Audience;
}

const key = "atrium.look";
const none: Preview = { me: {}, company: {}, shown: "me" };

/** A trial outlives a reload, in this tab. */
function kept(): Preview {
  try {
    return { ...none, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Preview>) };
  } catch {
    return none;
  }
}

/** Layout and colours that are looked at before anybody is bound to them. */
export const usePreview = create<Preview>(kept);

usePreview.subscribe((trial) => {
  try {
    if (isPreviewing(trial)) sessionStorage.setItem(key, JSON.stringify(trial));
    else sessionStorage.removeItem(key);
  } catch {
    // Without storage a trial lasts as long as the page.
  }
});
// It belongs to who began it.
useSession.subscribe(({ state }) => state === "guest" && usePreview.setState(none));

const isEmpty = (look: Appearance) => Object.keys(look).length === 0;

/** Whether anything is being tried out. */
export const isPreviewing = (trial: Preview) => !isEmpty(trial[trial.shown]);

/** Shows a choice on the screen; what equals what is kept already is no trial. */
export function previewAppearance(audience: Audience, part: keyof Appearance, choice: string | null, saved: string | null) {
  usePreview.setState((trial) => {
    const { [part]: _before, ...rest } = trial[audience];
    const look: Appearance = choice === saved ? rest : { ...rest, [part]: choice };
    const other: Audience = audience === "me" ? "company" : "me";
    return { [audience]: look, shown: isEmpty(look) && !isEmpty(trial[other]) ? other : audience };
  });
}

/** Ends a trial: it was kept, or taken back. */
export function endPreview(audience: Audience) {
  usePreview.setState((trial) => {
    const other: Audience = audience === "me" ? "company" : "me";
    return { [audience]: {}, shown: isEmpty(trial[other]) ? audience : other };
  });
}

/** What the screen wears: the trial, else the person's own choice, else the company's. */
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

/** The look now, and whenever it changes. */
export function useAppearance() {
  const trial = usePreview();
  const user = useSession((state) => state.user);
  const company = useCompanyInfo((state) => state.company);
  return { ...appearanceOf(trial, user, company), previewing: isPreviewing(trial) };
}

/** The colours now, outside of what is drawn. */
export const currentScheme = () =>
  appearanceOf(usePreview.getState(), useSession.getState().user, useCompanyInfo.getState().company).scheme;
