import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { LayoutName } from "@/lib/layout";
import { EmptyLayout } from "./empty";
import { ModernLayout } from "./modern";
import type { LayoutSlots } from "./slots";

export type Layout = ComponentType<LayoutSlots>;

/** The layouts of signed-in screens, by name, loaded on demand. */
const register: Record<LayoutName, () => Promise<Layout>> = {
  empty: async () => EmptyLayout,
  centered: async () => (await import("./centered")).CenteredLayout,
  enterprise: async () => (await import("./enterprise")).EnterpriseLayout,
  material: async () => (await import("./material")).MaterialLayout,
  // The default layout is part of the shell's chunk.
  modern: async () => ModernLayout,
  classic: async () => (await import("./classic")).ClassicLayout,
  classy: async () => (await import("./classy")).ClassyLayout,
  compact: async () => (await import("./compact")).CompactLayout,
  dense: async () => (await import("./dense")).DenseLayout,
  futuristic: async () => (await import("./futuristic")).FuturisticLayout,
  thin: async () => (await import("./thin")).ThinLayout,
};

const loaded = new Map<LayoutName, Layout>([["modern", ModernLayout]]);

/** Loads a layout; on failure, `modern` is used. */
export async function loadLayout(name: LayoutName): Promise<Layout> {
  try {
    const layout = loaded.get(name) ?? (await register[name]());
    loaded.set(name, layout);
    return layout;
  } catch (error) {
    console.error(error);
    return ModernLayout;
  }
}

/** Returns the layout with a name. While it loads, the previous one stays; the focus survives the change. */
export function useLayout(name: LayoutName): Layout {
  const [layout, setLayout] = useState<Layout>(() => loaded.get(name) ?? ModernLayout);
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    let wanted = true;
    void loadLayout(name).then((next) => {
      if (!wanted) return;
      focused.current = document.activeElement;
      // Synchronous: with a later render, a key press could move the focus first, and the effect would move it back.
      flushSync(() => setLayout(() => next));
    });
    return () => {
      wanted = false;
    };
  }, [name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change of the layout removes the focus
  useLayoutEffect(() => {
    const before = focused.current;
    focused.current = null;
    if (!(before instanceof HTMLElement) || before === document.body || document.activeElement !== document.body) return;
    (before.isConnected ? before : document.getElementById("content"))?.focus({ preventScroll: true });
  }, [layout]);
  return layout;
}
