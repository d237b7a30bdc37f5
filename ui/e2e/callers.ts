import { afterAll, beforeEach } from "vitest";
import { type Caller, caller } from "./api";
import { people } from "./server";
import { at } from "./stage";

/** Sets a member's interface language; null is the company's. */
export const speak = (who: Caller, locale: "en" | "es" | null) => who.call("PATCH", "/api/common/user", { locale });

/**
 * Provides two members who call the API beside their browsers in every test of a file; afterwards they read their
 * company's language again.
 */
export function callers() {
  const both = { ada: {} as Caller, ben: {} as Caller };
  // For each test, because proof of identity lasts only five minutes.
  beforeEach(async () => {
    Object.assign(both.ada, await caller(at(undefined), people.ada.email));
    Object.assign(both.ben, await caller(at(undefined), people.ben.email));
  });
  afterAll(async () => {
    for (const { email } of [people.ada, people.ben]) await speak(await caller(at(undefined), email), null);
  });
  return both;
}
