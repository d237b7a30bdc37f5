import { fileURLToPath } from "node:url";

interface Graph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

const icon = /\/node_modules\/lucide-react\//;
const source = fileURLToPath(new URL("../src/", import.meta.url));

/**
 * The chunks of the application and their entry modules. A module belongs to the first chunk that imports it; modules
 * that no chunk imports are left to the bundler. Without these groups, shared code would be a hundred files of a few
 * hundred bytes, and each costs a round trip on a slow connection.
 */
const pieces: [string, string[]][] = [
  ["early", ["lib/boot-requests.ts", "shell/page-config.ts"]],
  ["base", ["main.tsx"]],
  ["door", ["app/guest-entry.tsx"]],
  ["frame", ["app/start-router.tsx", "app/shell.tsx"]],
  ["dashboard", ["features/dashboard/dashboard-frame.tsx", "features/dashboard/project-page.tsx"]],
];

let homes: Map<string, string> | undefined;

function settle(graph: Graph): Map<string, string> {
  const found = new Map<string, string>();
  for (const [piece, roots] of pieces) {
    const open = roots.map((root) => source + root);
    for (let id = open.pop(); id; id = open.pop()) {
      // The icons' index imports all icons; only the bundler finds which are used.
      if (found.has(id) || icon.test(id)) continue;
      found.set(id, piece);
      open.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  // It starts the application, which must happen only when it is imported.
  found.delete(`${source}main.tsx`);
  return found;
}

function pieceOf(id: string, graph: Graph): string | undefined {
  // The code that loads chunks is needed before any chunk.
  if (id.includes("vite/preload-helper")) return "early";
  homes ??= settle(graph);
  return homes.get(id);
}

/** One group per chunk, in order: a group also takes the dependencies of its modules. */
export const groups = [
  ...pieces.map(([piece]) => ({ name: (id: string, graph: Graph) => (pieceOf(id, graph) === piece ? piece : null) })),
  { name: "icons", test: icon, entriesAware: true, entriesAwareMergeThreshold: 4000 },
];
