import type { ComponentType } from "react";
import type { LayoutName } from "@/lib/layout";
import { ModernLayout } from "./modern";
import type { LayoutSlots } from "./slots";

/** The layouts around signed-in screens, by name. One that is not here yet falls back to `modern`. */
export const layoutRegister: Partial<Record<LayoutName, ComponentType<LayoutSlots>>> = {
  modern: ModernLayout,
};

export const defaultLayout = ModernLayout;
