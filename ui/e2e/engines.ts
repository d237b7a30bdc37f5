import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { environment, freePort } from "./environment";

/** A tab of a browser other than Chromium, with what a test needs. Elements are given by CSS selectors. */
export interface Tab {
  open: (address: string) => Promise<void>;
  reload: () => Promise<void>;
  back: () => Promise<void>;
  /** Evaluates an expression in the page. */
  value: <T>(expression: string) => Promise<T>;
  click: (selector: string) => Promise<void>;
  type: (selector: string, text: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Milliseconds for a page to load, an element to appear and a command to be answered. */
const patience = 20_000;
const size = { width: 1440, height: 900 };

/** An expression for whether an element can be pressed: it exists, is enabled, does not move, and nothing covers it. */
const pressable = (selector: string) => `(() => {
  const element = document.querySelector(${JSON.stringify(selector)});
  if (!element || element.disabled) return null;
  element.scrollIntoView({ block: "nearest" });
  const box = element.getBoundingClientRect();
  const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const stood = element.stoodAt === x + " " + y;
  element.stoodAt = x + " " + y;
  return stood && box.width && element.contains(document.elementFromPoint(x, y)) ? { x, y } : null;
})()`;

/** Returns the centre of an element, once it can be pressed. */
async function middleOf(value: Tab["value"], selector: string) {
  const begun = performance.now();
  for (;;) {
    const found = await value<{ x: number; y: number } | null>(pressable(selector));
    if (found) return found;
    if (performance.now() - begun > patience) throw new Error(`${selector} cannot be pressed`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Opens a WebDriver BiDi session at an address. */
async function converse(address: string) {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const asked = new Map<number, { done: (result: unknown) => void; fail: (error: Error) => void }>();
  let last = 0;
  socket.on("message", (data) => {
    const answer = JSON.parse(String(data)) as { type: string; id?: number; result?: unknown; error?: string; message?: string };
    const waiting = answer.id === undefined ? undefined : asked.get(answer.id);
    if (answer.id !== undefined) asked.delete(answer.id);
    if (answer.type === "success") waiting?.done(answer.result);
    else waiting?.fail(new Error(`Firefox: ${answer.error}: ${answer.message}`));
  });
  const call = <T>(method: string, params: unknown): Promise<T> =>
    new Promise((done, fail) => {
      last += 1;
      const id = last;
      const timer = setTimeout(() => fail(new Error(`Firefox did not answer ${method}`)), patience);
      asked.set(id, {
        done: (result) => {
          clearTimeout(timer);
          done(result as T);
        },
        fail: (error) => {
          clearTimeout(timer);
          fail(error);
        },
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { call, close: () => socket.close() };
}

/** Starts Firefox, with WebDriver BiDi. */
export async function firefox(): Promise<Tab> {
  const profile = await mkdtemp(join(tmpdir(), "atrium-firefox-"));
  const args = ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile];
  const child = spawn(process.env.FIREFOX ?? "firefox-esr", args, { stdio: ["ignore", "ignore", "pipe"], env: environment() });
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, "exit") : undefined;
    child.kill("SIGTERM");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const listening = await new Promise<string>((done, fail) => {
      let output = "";
      child.stderr.on("data", (chunk: Buffer) => {
        output += chunk;
        const address = /BiDi listening on (ws:\S+)/.exec(output)?.[1];
        if (address) done(address);
      });
      child.once("error", fail);
      child.once("exit", () => fail(new Error(`Firefox ended at its start:\n${output}`)));
      setTimeout(() => fail(new Error(`Firefox does not listen:\n${output}`)), 2 * patience);
    });
    const { call, close } = await converse(`${listening}/session`);
    await call("session.new", { capabilities: {} });
    const { contexts } = await call<{ contexts: { context: string }[] }>("browsingContext.getTree", {});
    const context = contexts[0]?.context;
    await call("browsingContext.setViewport", { context, viewport: size });
    const value = async <T>(expression: string) => {
      type Result = { type: string; exceptionDetails?: { text: string }; result: { value: string } };
      // Returned as text, because the protocol has its own format for objects.
      const result = await call<Result>("script.evaluate", {
        expression: `JSON.stringify({ value: (${expression}) })`,
        target: { context },
        awaitPromise: false,
      });
      if (result.type === "exception") throw new Error(`Firefox, ${expression}: ${result.exceptionDetails?.text}`);
      return (JSON.parse(result.result.value) as { value: T }).value;
    };
    const perform = (actions: unknown[]) => call("input.performActions", { context, actions });
    const click = async (selector: string) => {
      const { x, y } = await middleOf(value, selector);
      const button = 0;
      const actions = [
        { type: "pointerMove", x, y },
        { type: "pointerDown", button },
        { type: "pointerUp", button },
      ];
      await perform([{ type: "pointer", id: "mouse", actions }]);
    };
    return {
      open: (url) => call("browsingContext.navigate", { context, url, wait: "complete" }),
      reload: () => call("browsingContext.reload", { context, wait: "complete" }),
      back: () => call("browsingContext.traverseHistory", { context, delta: -1 }),
      value,
      click,
      type: async (selector, text) => {
        await click(selector);
        const actions = [...text].flatMap((key) => [
          { type: "keyDown", value: key },
          { type: "keyUp", value: key },
        ]);
        await perform([{ type: "key", id: "keys", actions }]);
      },
      close: async () => {
        close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The key that WebDriver uses for a reference to an element. */
const elementKey = "element-6066-11e4-a52e-4f735466cecf";

/** Starts WebKit, the engine of Safari, as WebKitGTK, with WebDriver. It needs a display. */
export async function webkit(): Promise<Tab> {
  const port = await freePort();
  const screen = `-screen 0 ${size.width}x${size.height}x24`;
  // A separate process group, so that the display and the browser end with it.
  const driver = spawn("xvfb-run", ["-a", "-s", screen, "WebKitWebDriver", `--port=${port}`], {
    stdio: "ignore",
    detached: true,
    env: environment(),
  });
  const stop = () => {
    if (driver.pid && driver.exitCode === null) process.kill(-driver.pid, "SIGTERM");
  };
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      // A page that hangs must not block the test for longer than the driver's own limit.
      signal: AbortSignal.timeout(2 * patience),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: T };
    if (!response.ok) throw new Error(`WebKit, ${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  };

  try {
    const begun = performance.now();
    for (;;) {
      try {
        await call("GET", "/status");
        break;
      } catch (error) {
        if (driver.exitCode !== null || performance.now() - begun > patience) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
    const binary = process.env.WEBKIT ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
    const { sessionId } = await call<{ sessionId: string }>("POST", "/session", {
      capabilities: {
        alwaysMatch: {
          "webkitgtk:browserOptions": { binary, args: ["--automation"] },
          timeouts: { pageLoad: patience, script: patience, implicit: patience },
        },
      },
    });
    const session = <T>(method: string, path: string, body?: unknown) => call<T>(method, `/session/${sessionId}${path}`, body);
    await session("POST", "/window/rect", size);
    const value: Tab["value"] = (expression) => session("POST", "/execute/sync", { script: `return (${expression});`, args: [] });
    const find = async (selector: string) => {
      await middleOf(value, selector);
      const found = await session<Record<string, string>>("POST", "/element", { using: "css selector", value: selector });
      return found[elementKey];
    };
    return {
      open: (address) => session("POST", "/url", { url: address }),
      reload: () => session("POST", "/refresh", {}),
      back: () => session("POST", "/back", {}),
      value,
      click: async (selector) => session("POST", `/element/${await find(selector)}/click`, {}),
      type: async (selector, text) => session("POST", `/element/${await find(selector)}/value`, { text }),
      close: async () => {
        await call("DELETE", `/session/${sessionId}`).finally(stop);
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Forwards connections to a local port until it is cut, for browsers without an offline mode. */
export async function cuttableLine(port: number) {
  const open = new Set<Socket>();
  let cut = false;
  const server = createServer((near) => {
    if (cut) return near.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    cut: () => {
      cut = true;
      for (const socket of open) socket.destroy();
    },
    mend: () => {
      cut = false;
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
