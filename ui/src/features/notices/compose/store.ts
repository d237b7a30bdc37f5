import { create } from "zustand";
import type { Notice } from "@/api/schema";

export interface Compose {
  /** Members that it is for, to begin with. */
  to?: string[];
  /** The message that it answers. */
  answering?: Notice;
}

export const useCompose = create<{ open: Compose | undefined }>(() => ({ open: undefined }));

/** Opens the window in which a message is written, over every screen. */
export const compose = (open: Compose = {}) => useCompose.setState({ open });
