import { inject } from "vitest";

/** A server, and what the journeys on it share. */
export interface Lane {
  port: string;
  /** Records that the tests visit. */
  samples: Record<string, string>;
  /** The cookie of a browser that everyone has signed in from before. */
  mark: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    /** One server for each file that runs at the same time. */
    lanes: Lane[];
    /** The address that the browser takes commands at. */
    browser: string;
  }
}

/** The server of the file that is running. */
export const lane = (): Lane => {
  const found = inject("lanes")[Number(process.env.VITEST_POOL_ID) - 1];
  if (!found) throw new Error(`there is no server for worker ${process.env.VITEST_POOL_ID}`);
  return found;
};
