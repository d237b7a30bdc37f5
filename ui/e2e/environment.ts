import { createServer } from "node:net";
import { tmpdir } from "node:os";

/**
 * The environment of programs that tests start, with variables of its own. Those of who runs the tests, such as
 * `ATRIUM_…`, time zone, language and proxies, would change what the programs do.
 */
export function environment(own: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", TMPDIR } = process.env;
  return { PATH, ...(TMPDIR && { TMPDIR }), HOME: tmpdir(), TZ: "UTC", LC_ALL: "C.UTF-8", LANGUAGE: "en", ...own };
}

/** Ports below those that systems give to programs which ask for any. */
const rarelyTaken = { from: 20_000, to: 32_000 };

/** Returns a free port, which no other program gets by chance before the test uses it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = rarelyTaken.from + Math.floor(Math.random() * (rarelyTaken.to - rarelyTaken.from));
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once("error", () => done(false));
      server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
    });
    if (isFree) return port;
  }
}
