import { afterAll, beforeEach } from "vitest";
import { type Caller, caller } from "./api";
import { people } from "./server";
import { at } from "./stage";

/** Has somebody read the interface in a language; null is the company's. */
export const speak = (who: Caller, locale: "en" | "es" | null) => who.call("PATCH", "/api/common/user", { locale });

/** Two who use the API beside their browsers, in a file's every test; in the end they read their company's language. */
export function callers() {
  const both = { ada: {} as Caller, ben: {} as Caller };
  // Anew for each test: what proves who one is lasts five minutes only.
  beforeEach(async () => {
    Object.assign(both.ada, await caller(at(undefined), people.ada.email));
    Object.assign(both.ben, await caller(at(undefined), people.ben.email));
  });
  afterAll(async () => {
    for (const { email } of [people.ada, people.ben]) await speak(await caller(at(undefined), email), null);
  });
  return both;
}
