import { afterEach, beforeEach, vi } from "vitest";
import { statuses } from "./statuses";

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
}
type Handler = (call: Call) => unknown;

/** A response that is not a plain 200 with a JSON body. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** Every record asks for its links and duplicates, too; most have none. */
const isPart = (method: string, path: string) => method === "GET" && /^\/api\/\w+\/[^/]+\/(links|duplicates)$/.test(path);

const importLimits = { bytes: 50 * 2 ** 20, rows: 100_000, columns: 200, cellCharacters: 50_000, rowBytes: 2_000_000 };

/** A fake server: `server.on("GET /api/x", () => …)`. An unexpected request fails the test. */
export function standInServer() {
  const handlers = new Map<string, Handler>();
  const calls: Call[] = [];
  const unexpected: string[] = [];

  beforeEach(() => {
    handlers.clear();
    // Every record asks for the custom fields, every list for its views, and one with numbers for sums; most tests have none.
    handlers.set("GET /api/fields", () => ({ items: [], total: 0 }));
    handlers.set("GET /api/views", () => ({ items: [] }));
    handlers.set("GET /api/sums", () => ({ items: [] }));
    handlers.set("GET /api/customers/statuses", () => statuses);
    handlers.set("POST /api/duplicates/find", () => ({ items: [] }));
    handlers.set("GET /api/tags", () => ({ items: [], total: 0 }));
    // Administrators ask how far the company is set up; in most tests it is.
    handlers.set("GET /api/setup", () => ({ isNew: false, hidden: false, steps: [], sampleData: { state: "none", records: 0 } }));
    handlers.set("GET /api/schema", () => ({ kinds: [], maxFileBytes: 25 * 2 ** 20, limits: { import: importLimits } }));
    calls.length = 0;
    unexpected.length = 0;
    vi.stubGlobal("fetch", async (input: string | URL | Request, init: RequestInit = {}) => {
      const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url, location.origin);
      const method = init.method ?? "GET";
      init.signal?.throwIfAborted();
      const call: Call = {
        method,
        path: url.pathname,
        query: url.searchParams,
        body: typeof init.body === "string" ? JSON.parse(init.body) : init.body,
        headers: new Headers(init.headers),
      };
      calls.push(call);
      const handler =
        handlers.get(`${method} ${url.pathname}`) ?? (isPart(method, url.pathname) ? () => ({ items: [], total: 0 }) : undefined);
      if (!handler) {
        unexpected.push(`${method} ${url.pathname}`);
        return new Response(JSON.stringify({ error: { code: "not_found", message: "Nobody expected this" } }), { status: 404 });
      }
      const result = await handler(call);
      const answer = result instanceof Answer ? result : new Answer(200, result);
      return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
        status: answer.status,
        headers: answer.headers,
      });
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    if (unexpected.length > 0) throw new Error(`Requests that nobody expected: ${unexpected.join(", ")}`);
  });

  return {
    calls,
    on(route: string, handler: Handler) {
      handlers.set(route, handler);
    },
    sent: (route: string) => calls.filter((call) => `${call.method} ${call.path}` === route),
  };
}
