import { create } from "zustand";
import type { Company, User } from "@/api/schema";
import { useSession } from "@/api/session";
import { useVersion } from "./version";

export type Audience = "me" | "company";

/** The part of the look that is being tried out; null is "as the company has it". */
export interface Look {
  layout?: string | null;
  scheme?: string | null;
}

interface Trial {
  me: Look;
  company: Look;
  /** Whose trial shows; the other one waits. */
  shown: Audience;
}

const key = "atrium.look";
const none: Trial = { me: {}, company: {}, shown: "me" };

/** A trial outlives a reload, in this tab. */
function kept(): Trial {
  try {
    return { ...none, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Trial>) };
  } catch {
    return none;
  }
}

/** Layout and colours that are looked at before anybody is bound to them. */
export const useTrial = create<Trial>(kept);

useTrial.subscribe((trial) => {
  try {
    if (isTrying(trial)) sessionStorage.setItem(key, JSON.stringify(trial));
    else sessionStorage.removeItem(key);
  } catch {
    // Without storage a trial lasts as long as the page.
  }
});
// It belongs to who began it.
useSession.subscribe(({ state }) => state === "guest" && useTrial.setState(none));

const isEmpty = (look: Look) => Object.keys(look).length === 0;

/** Whether anything is being tried out. */
export const isTrying = (trial: Trial) => !isEmpty(trial[trial.shown]);

/** Shows a choice on the screen; what equals what is kept already is no trial. */
export function tryOut(audience: Audience, part: keyof Look, choice: string | null, saved: string | null) {
  useTrial.setState((trial) => {
    const { [part]: _before, ...rest } = trial[audience];
    const look: Look = choice === saved ? rest : { ...rest, [part]: choice };
    const other: Audience = audience === "me" ? "company" : "me";
    return { [audience]: look, shown: isEmpty(look) && !isEmpty(trial[other]) ? other : audience };
  });
}

/** Ends a trial: it was kept, or taken back. */
export function endTrial(audience: Audience) {
  useTrial.setState((trial) => {
    const other: Audience = audience === "me" ? "company" : "me";
    return { [audience]: {}, shown: isEmpty(trial[other]) ? audience : other };
  });
}

/** What the screen wears: the trial, else the person's own choice, else the company's. */
export function lookOf(trial: Trial, user: Pick<User, "layout" | "scheme"> | undefined, company: Pick<Company, "layout" | "color_scheme">) {
  const tried = trial[trial.shown];
  const pick = (choice: string | null | undefined, own: string | null | undefined, all: string) =>
    choice === undefined ? (own ?? all) : (choice ?? all);
  return {
    layout: pick(tried.layout, user?.layout, company.layout),
    scheme: pick(tried.scheme, user?.scheme, company.color_scheme),
  };
}

/** The look now, and whenever it changes. */
export function useLook() {
  const trial = useTrial();
  const user = useSession((state) => state.user);
  const company = useVersion((state) => state.company);
  return { ...lookOf(trial, user, company), trying: isTrying(trial) };
}

/** The colours now, outside of what is drawn. */
export const schemeNow = () => lookOf(useTrial.getState(), useSession.getState().user, useVersion.getState().company).scheme;
