import { expect, it } from "vitest";
import { nodes, preselected } from "./nodes";
import { checkState, fromKeys, selectedNodes, type TreeNode, toggle } from "./selection";

function node(key: string, list: TreeNode[] = nodes): TreeNode {
  for (const one of list) {
    if (one.key === key) return one;
    if (one.children && key.startsWith(`${one.key}-`)) return node(key, one.children);
  }
  throw new Error(key);
}

it("starts with the specified keys selected, and derives the state of branches", () => {
  const chosen = fromKeys(nodes, preselected);
  expect([...chosen].sort()).toEqual(["0-0-0", "2-0-0", "2-0-1", "2-1-0", "2-1-1"]);
  expect(checkState(node("0-0-0"), chosen)).toBe("all");
  expect(checkState(node("0-0"), chosen)).toBe("some");
  expect(checkState(node("0"), chosen)).toBe("some");
  expect(checkState(node("0-1"), chosen)).toBe("none");
  expect(checkState(node("1"), chosen)).toBe("none");
  expect(checkState(node("2"), chosen)).toBe("all");
  expect(selectedNodes(nodes, chosen).map(({ key }) => key)).toEqual(["0-0-0", "2", "2-0", "2-0-0", "2-0-1", "2-1", "2-1-0", "2-1-1"]);
});

it("selects and deselects a branch with its descendants", () => {
  let chosen: ReadonlySet<string> = fromKeys(nodes, preselected);
  chosen = toggle(node("0"), chosen);
  expect(checkState(node("0"), chosen)).toBe("all");
  chosen = toggle(node("0"), chosen);
  expect(checkState(node("0"), chosen)).toBe("none");
  chosen = toggle(node("2-1-1"), chosen);
  expect(checkState(node("2-1"), chosen)).toBe("some");
  expect(checkState(node("2"), chosen)).toBe("some");
});

it("selecting the last leaf completes a branch", () => {
  let chosen: ReadonlySet<string> = new Set<string>();
  for (const key of ["1-0", "1-1", "1-2"]) {
    expect(checkState(node("1"), chosen)).not.toBe("all");
    chosen = toggle(node(key), chosen);
  }
  expect(checkState(node("1"), chosen)).toBe("all");
});
