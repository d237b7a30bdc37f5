import { useSyncExternalStore } from "react";

function subscribe(changed: () => void) {
  document.addEventListener("fullscreenchange", changed);
  return () => document.removeEventListener("fullscreenchange", changed);
}

export function useFullscreen(): boolean {
  return useSyncExternalStore(subscribe, () => Boolean(document.fullscreenElement));
}

/** Enters or leaves full screen; logs a failure to the console. */
export async function toggleFullscreen(): Promise<void> {
  if (!document.fullscreenEnabled) {
    console.error("Fullscreen is not available in this browser.");
    return;
  }
  if (document.fullscreenElement) {
    await document.exitFullscreen();
    return;
  }
  try {
    await document.documentElement.requestFullscreen();
  } catch {
    console.error("Entering fullscreen mode failed.");
  }
}
