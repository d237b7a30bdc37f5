import { act } from "@testing-library/react";

/** Sets the window's width and notifies its listeners. */
export async function setWidth(width: number) {
  await act(async () => {
    // The test's browser takes every media query for unmet until the first event, and reports only changes.
    window.dispatchEvent(new Event("resize"));
    (window as unknown as { happyDOM: { setViewport: (size: { width: number }) => void } }).happyDOM.setViewport({ width });
  });
}
