import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { taskChanged } from "@/test/socket";
import type { ClientFrame, EditedRecord, ServerFrame } from "../schema";
import type { OpenConnection } from "./tab-messages";
import { joinTabs, type Tab } from "./tabs";

/** The browser's locks: requests wait in a queue, unless they steal the lock. */
function fakeLocks() {
  const queues = new Map<string, { start: () => void; cancel: (reason: Error) => void; running: boolean }[]>();
  const next = (name: string) => {
    const first = queues.get(name)?.[0];
    if (first && !first.running) {
      first.running = true;
      first.start();
    }
  };
  const request = (name: string, ...rest: unknown[]) => {
    const [options, run] = (rest.length > 1 ? rest : [{}, rest[0]]) as [{ signal?: AbortSignal; steal?: boolean }, () => unknown];
    return new Promise((done, cancel) => {
      const entry = { running: false, cancel, start: () => {} };
      const leave = () => {
        const queue = queues.get(name) ?? [];
        queues.set(
          name,
          queue.filter((one) => one !== entry),
        );
        next(name);
      };
      entry.start = () =>
        void Promise.resolve(run()).then((value) => {
          leave();
          done(value);
        });
      options.signal?.addEventListener("abort", () => {
        if (!entry.running) leave();
      });
      const queue = queues.get(name) ?? [];
      if (options.steal) {
        const holder = queue.shift();
        queues.set(name, [entry, ...queue]);
        holder?.cancel(new Error("stolen"));
      } else queues.set(name, [...queue, entry]);
      next(name);
    });
  };
  return { request };
}

class FakeChannel {
  static all = new Set<FakeChannel>();
  static asleep = new Set<FakeChannel>();
  onmessage: ((event: { data: unknown }) => void) | null = null;
  constructor(readonly name: string) {
    FakeChannel.all.add(this);
  }
  postMessage(data: unknown) {
    for (const other of FakeChannel.all) {
      if (other !== this && other.name === this.name && !FakeChannel.asleep.has(other)) other.onmessage?.({ data: structuredClone(data) });
    }
  }
  close() {
    FakeChannel.all.delete(this);
  }
}

interface Opened {
  after: number | undefined;
  onFrame: (frame: ServerFrame) => void;
  said: ClientFrame[];
  closed: boolean;
  opened: () => void;
}
let lines: Opened[];
let tabs: Tab[];

const open: OpenConnection = ({ after, onFrame, onOpen: opened }) => {
  const line: Opened = { after, onFrame, said: [], closed: false, opened };
  lines.push(line);
  const close = () => {
    line.closed = true;
  };
  return { sendFrame: (frame) => line.said.push(frame), check: () => undefined, close };
};
async function tab(after: number | undefined) {
  const heard: ServerFrame[] = [];
  const joined = joinTabs({ member: "u1", after, onFrame: (frame) => heard.push(frame), open });
  tabs.push(joined);
  await vi.advanceTimersByTimeAsync(1);
  return { ...joined, heard };
}
const record = (recordId: string): EditedRecord => ({ kind: "task", recordId });

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  tabs = [];
  FakeChannel.all.clear();
  FakeChannel.asleep.clear();
  vi.stubGlobal("BroadcastChannel", FakeChannel);
  Object.defineProperty(navigator, "locks", { value: fakeLocks(), configurable: true });
});
afterEach(() => {
  for (const one of tabs) one.leave();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, "locks");
});

it("opens one connection for all tabs, and each gets every frame once and in order", async () => {
  const first = await tab(7);
  const second = await tab(7);
  expect(lines).toHaveLength(1);
  lines[0]?.onFrame(taskChanged(8));
  lines[0]?.onFrame(taskChanged(9));
  expect(first.heard).toEqual([taskChanged(8), taskChanged(9)]);
  expect(second.heard).toEqual(first.heard);
});

it("sends a later tab the frames it missed and the current presence", async () => {
  await tab(7);
  lines[0]?.onFrame({ type: "presence.all", id: 7, data: { members: [{ memberId: "a", status: "online" }] } });
  lines[0]?.onFrame(taskChanged(8));
  lines[0]?.onFrame(taskChanged(9));
  lines[0]?.onFrame({ type: "presence", id: 9, data: { memberId: "b", status: "away" } });
  const late = await tab(8);
  expect(late.heard).toEqual([
    taskChanged(9),
    {
      type: "presence.all",
      id: 9,
      data: {
        members: [
          { memberId: "a", status: "online" },
          { memberId: "b", status: "away" },
        ],
      },
    },
  ]);
});

it("sends a resync to a tab that is older than the remembered frames", async () => {
  await tab(7);
  lines[0]?.onFrame(taskChanged(9));
  const old = await tab(3);
  expect(old.heard).toEqual([{ type: "resync", id: 9, data: {} }]);
});

it("opens the connection in the next tab at its position when the first tab closes", async () => {
  const first = await tab(7);
  const second = await tab(7);
  lines[0]?.onFrame(taskChanged(8));
  first.leave();
  await vi.advanceTimersByTimeAsync(1);
  expect([lines[0]?.closed, lines.length, lines[1]?.after]).toEqual([true, 2, 8]);
  // Frames that the tab has received already do not arrive twice.
  lines[1]?.onFrame(taskChanged(7));
  lines[1]?.onFrame(taskChanged(9));
  expect(second.heard).toEqual([taskChanged(8), taskChanged(9)]);
});

it("sends the frames and edited records of every tab until the tab closes", async () => {
  const first = await tab(7);
  const second = await tab(7);
  second.sendFrame({ type: "typing", data: { chatId: "c" } });
  first.edit([record("a")]);
  second.edit([record("b"), record("a")]);
  expect(lines[0]?.said.at(-1)).toEqual({ type: "editing", data: { records: [record("a"), record("b")] } });
  expect(lines[0]?.said[0]).toEqual({ type: "typing", data: { chatId: "c" } });
  second.leave();
  await vi.advanceTimersByTimeAsync(1);
  expect(lines[0]?.said.at(-1)).toEqual({ type: "editing", data: { records: [record("a")] } });
});

it("sends edited records again after a reconnect and when the connection moves to another tab", async () => {
  const first = await tab(7);
  const second = await tab(7);
  second.edit([record("b")]);
  const said = { type: "editing", data: { records: [record("b")] } };
  lines[0]?.opened();
  expect(lines[0]?.said).toEqual([said, said]);
  first.leave();
  await vi.advanceTimersByTimeAsync(1);
  lines[1]?.opened();
  expect(lines[1]?.said.at(-1)).toEqual(said);
});

it("takes the connection over from a sleeping tab", async () => {
  await tab(7);
  for (const channel of FakeChannel.all) FakeChannel.asleep.add(channel);
  const second = await tab(7);
  await vi.advanceTimersByTimeAsync(3_100);
  expect(lines).toHaveLength(2);
  lines[1]?.onFrame(taskChanged(8));
  expect(second.heard).toEqual([taskChanged(8)]);
  expect(lines[0]?.closed).toBe(true);
});

it("requests a refused lock once per task, as WebKit refuses it while a document closes", async () => {
  let asked = 0;
  const refuse = () => {
    asked += 1;
    // The limit ends a test that would otherwise never end.
    return asked > 100 ? new Promise(() => undefined) : Promise.reject(new Error("The document ends"));
  };
  Object.defineProperty(navigator, "locks", { value: { request: refuse }, configurable: true });
  tabs.push(joinTabs({ member: "u1", after: 7, onFrame: () => undefined, open }));
  for (let turn = 0; turn < 1000; turn += 1) await Promise.resolve();
  // One for the connection, one for the tab itself.
  expect(asked).toBe(2);
});
