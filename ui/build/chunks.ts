import { fileURLToPath } from "node:url";

interface Graph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

const icon = /\/node_modules\/lucide-react\//;
const source = fileURLToPath(new URL("../src/", import.meta.url));

/**
 * The pieces in which the application comes, and the modules that each begins with. A module goes to the
 * first piece that needs it; what none of them needs is left to the bundler. Without this, what screens
 * share would be a hundred files of a few hundred bytes, each of which costs a slow line a journey.
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
      // The icons' index names them all; who needs which, only the bundler finds out.
      if (found.has(id) || icon.test(id)) continue;
      found.set(id, piece);
      open.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  // It starts the application, which must not happen before it is asked for.
  found.delete(`${source}main.tsx`);
  return found;
}

function pieceOf(id: string, graph: Graph): string | undefined {
  // What fetches a piece is needed before any.
  if (id.includes("vite/preload-helper")) return "early";
  homes ??= settle(graph);
  return homes.get(id);
}

/** A group for each piece, in their order: the bundler lets a group take the dependencies of what is in it. */
export const groups = [
  ...pieces.map(([piece]) => ({ name: (id: string, graph: Graph) => (pieceOf(id, graph) === piece ? piece : null) })),
  { name: "icons", test: icon, entriesAware: true, entriesAwareMergeThreshold: 4000 },
];
