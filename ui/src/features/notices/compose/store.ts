import { create } from "zustand";
import type { Notice } from "@/api/schema";

export interface Compose {
  /** The initial receivers. */
  to?: string[];
  /** The message that it answers. */
  answering?: Notice;
}

export const useCompose = create<{ open: Compose | undefined }>(() => ({ open: undefined }));

/** Opens the window for writing a message, over any screen. */
export const compose = (open: Compose = {}) => useCompose.setState({ open });
