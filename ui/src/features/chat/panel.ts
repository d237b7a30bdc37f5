import { create } from "zustand";

/** Whether the team's chat is open, and with which conversation; any screen may open it. */
export const useChatPanel = create<{ open: boolean; chatId: string | undefined }>(() => ({ open: false, chatId: undefined }));

/** Opens it, with a conversation or the list of them. */
export const openChat = (chatId?: string) => useChatPanel.setState({ open: true, chatId });
