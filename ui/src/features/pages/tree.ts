import type { KnowledgePage } from "@/api/schema";

export interface PageNode {
  page: KnowledgePage;
  children: PageNode[];
}

/** Converts the flat list to a tree. A page without a visible parent (another member's draft) is at the top. */
export function toTree(pages: KnowledgePage[]): PageNode[] {
  const nodes = new Map(pages.map((page) => [page.id, { page, children: [] as PageNode[] }]));
  const roots: PageNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.page.parentId ? nodes.get(node.page.parentId) : undefined;
    (parent && parent !== node ? parent.children : roots).push(node);
  }
  const sort = (list: PageNode[]) => {
    list.sort((a, b) => a.page.order - b.page.order || a.page.title.localeCompare(b.page.title));
    for (const node of list) sort(node.children);
  };
  sort(roots);
  return roots;
}

/** Returns the pages above a page, from the top down. */
export function ancestors(pages: KnowledgePage[], id: string): KnowledgePage[] {
  const byId = new Map(pages.map((page) => [page.id, page]));
  const found: KnowledgePage[] = [];
  let parent = byId.get(id)?.parentId;
  while (parent && found.length < 100) {
    const page = byId.get(parent);
    if (!page || page.id === id || found.includes(page)) break;
    found.unshift(page);
    parent = page.parentId;
  }
  return found;
}

/** Returns the possible parents of a page, all but those below itself, with their depth. */
export function places(pages: KnowledgePage[], id: string): { page: KnowledgePage; depth: number }[] {
  const result: { page: KnowledgePage; depth: number }[] = [];
  const walk = (nodes: PageNode[], depth: number) => {
    for (const node of nodes) {
      if (node.page.id === id) continue;
      result.push({ page: node.page, depth });
      walk(node.children, depth + 1);
    }
  };
  walk(toTree(pages), 0);
  return result;
}
