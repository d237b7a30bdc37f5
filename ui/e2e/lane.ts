import { inject } from "vitest";

/** A server and its shared test data. */
export interface Lane {
  port: string;
  /** Records that the tests visit. */
  samples: Record<string, string>;
  /** The device cookie of a browser from which all members have signed in. */
  mark: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    /** One server per test file that runs in parallel. */
    lanes: Lane[];
    /** The browser's address for commands. */
    browser: string;
  }
}

/** Returns the server of the current test file. */
export const lane = (): Lane => {
  const found = inject("lanes")[Number(process.env.VITEST_POOL_ID) - 1];
  if (!found) throw new Error(`there is no server for worker ${process.env.VITEST_POOL_ID}`);
  return found;
};
