import { create } from "zustand";

interface Loading {
  /** `automatic`: any request shows the bar. `manual`: only `show` and `hide` do. */
  mode: "automatic" | "manual";
  /** 0 to 100, or undefined for the indeterminate bar. */
  progress: number | undefined;
  visible: boolean;
}

export const useLoading = create<Loading>(() => ({ mode: "automatic", progress: undefined, visible: false }));

const busy = new Map<string, number>();

/** Controls the loading bar at the top of the page; requests are counted per URL. */
export const loading = {
  show: () => useLoading.setState({ visible: true }),
  hide: () => {
    busy.clear();
    useLoading.setState({ visible: false, progress: undefined });
  },
  setMode(mode: Loading["mode"]) {
    useLoading.setState({ mode });
  },
  setProgress(progress: number) {
    if (!(progress >= 0 && progress <= 100)) {
      console.error("Progress value must be between 0 and 100!");
      return;
    }
    useLoading.setState({ progress });
  },
  /** Marks a URL as busy or done; the bar hides when none is busy. */
  setStatus(active: boolean, url: string) {
    if (!url) {
      console.error("The request URL must be provided!");
      return;
    }
    if (useLoading.getState().mode === "manual") return;
    const count = (busy.get(url) ?? 0) + (active ? 1 : -1);
    if (count > 0) busy.set(url, count);
    else busy.delete(url);
    useLoading.setState(busy.size > 0 ? { visible: true } : { visible: false, progress: undefined });
  },
};
