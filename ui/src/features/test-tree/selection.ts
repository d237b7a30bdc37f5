export interface TreeNode {
  key: string;
  label: string;
  data: string;
  icon: string;
  children?: TreeNode[];
}

export type CheckState = "all" | "some" | "none";

/** The ends of the branches below a node; a node without children is its own end. */
function leaves(node: TreeNode): string[] {
  return node.children?.length ? node.children.flatMap(leaves) : [node.key];
}

/** The leaves are the truth; what a branch shows follows from them. */
export function checkState(node: TreeNode, chosen: ReadonlySet<string>): CheckState {
  const all = leaves(node);
  const on = all.filter((key) => chosen.has(key)).length;
  return on === 0 ? "none" : on === all.length ? "all" : "some";
}

/** Chooses or drops a node with everything below it. */
export function toggle(node: TreeNode, chosen: ReadonlySet<string>): Set<string> {
  const next = new Set(chosen);
  const on = checkState(node, chosen) !== "all";
  for (const key of leaves(node)) {
    if (on) next.add(key);
    else next.delete(key);
  }
  return next;
}

/** What is chosen at the start: the keys given, as far as they are ends; a branch stands for all its ends. */
export function fromKeys(nodes: TreeNode[], keys: string[]): Set<string> {
  const chosen = new Set<string>();
  const visit = (node: TreeNode) => {
    if (keys.includes(node.key)) for (const key of leaves(node)) chosen.add(key);
    node.children?.forEach(visit);
  };
  nodes.forEach(visit);
  return chosen;
}

/** Every node that is chosen whole, branches included, in the order of the tree. */
export function selectedNodes(nodes: TreeNode[], chosen: ReadonlySet<string>): TreeNode[] {
  return nodes.flatMap((node) => [...(checkState(node, chosen) === "all" ? [node] : []), ...selectedNodes(node.children ?? [], chosen)]);
}
