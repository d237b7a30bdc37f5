export interface TreeNode {
  key: string;
  label: string;
  data: string;
  icon: string;
  children?: TreeNode[];
}

export type CheckState = "all" | "some" | "none";

/** Returns the leaves below a node; a node without children is its own leaf. */
function leaves(node: TreeNode): string[] {
  return node.children?.length ? node.children.flatMap(leaves) : [node.key];
}

/** Computes a node's state from its leaves, which hold the selection. */
export function checkState(node: TreeNode, chosen: ReadonlySet<string>): CheckState {
  const all = leaves(node);
  const on = all.filter((key) => chosen.has(key)).length;
  return on === 0 ? "none" : on === all.length ? "all" : "some";
}

/** Toggles a node with everything below it. */
export function toggle(node: TreeNode, chosen: ReadonlySet<string>): Set<string> {
  const next = new Set(chosen);
  const on = checkState(node, chosen) !== "all";
  for (const key of leaves(node)) {
    if (on) next.add(key);
    else next.delete(key);
  }
  return next;
}

/** Returns the initial selection from keys; the key of a branch selects all its leaves. */
export function fromKeys(nodes: TreeNode[], keys: string[]): Set<string> {
  const chosen = new Set<string>();
  const visit = (node: TreeNode) => {
    if (keys.includes(node.key)) for (const key of leaves(node)) chosen.add(key);
    node.children?.forEach(visit);
  };
  nodes.forEach(visit);
  return chosen;
}

/** Returns all fully selected nodes, including branches, in tree order. */
export function selectedNodes(nodes: TreeNode[], chosen: ReadonlySet<string>): TreeNode[] {
  return nodes.flatMap((node) => [...(checkState(node, chosen) === "all" ? [node] : []), ...selectedNodes(node.children ?? [], chosen)]);
}
