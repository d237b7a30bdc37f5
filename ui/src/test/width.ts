import { act } from "@testing-library/react";

/** Gives the window another width; what listens to it hears of it. */
export async function setWidth(width: number) {
  await act(async () => {
    // The stand-in for a browser takes every query for unmet until the first event, and tells of changes only.
    window.dispatchEvent(new Event("resize"));
    (window as unknown as { happyDOM: { setViewport: (size: { width: number }) => void } }).happyDOM.setViewport({ width });
  });
}
