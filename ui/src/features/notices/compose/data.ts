import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "@/api/client";
import type { NewSentMessage, SentMessage } from "@/api/schema";
import { newId } from "@/lib/new-id";

/** Sends a message; a repeated call after a lost response does not send it twice. */
export function useSendMessage() {
  const client = useQueryClient();
  const last = useRef({ said: "", key: "" });
  return useMutation({
    mutationFn: (message: NewSentMessage) => {
      const said = JSON.stringify(message);
      if (last.current.said !== said) last.current = { said, key: newId() };
      return api.post<SentMessage>("/api/messages/send", message, { headers: { "Idempotency-Key": last.current.key } });
    },
    meta: { handled: true },
    onSuccess: () => client.invalidateQueries({ queryKey: ["sent-messages"] }),
  });
}
