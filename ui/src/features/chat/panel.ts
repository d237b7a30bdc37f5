import { create } from "zustand";

/** The state of the chat drawer: whether it is open, and with which conversation. */
export const useChatPanel = create<{ open: boolean; chatId: string | undefined }>(() => ({ open: false, chatId: undefined }));

/** Opens the drawer with a conversation or the list. */
export const openChat = (chatId?: string) => useChatPanel.setState({ open: true, chatId });
