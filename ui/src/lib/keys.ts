/** Whether a key press belongs to a field or a dialog and is not a command of the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [role=textbox], [role=menu] *, [role=dialog] *")
  );
}
