/** Returns the ids of the columns of tables that the width of the screen hides. */
export function columnsWithoutRoom(): ReadonlySet<string> {
  const heads = document.querySelectorAll<HTMLElement>("th[data-column]");
  const hidden = [...heads].filter((head) => getComputedStyle(head).display === "none");
  return new Set(hidden.map(({ dataset }) => dataset.column ?? ""));
}
