import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "@/api/client";
import type { NewSentMessage } from "@/api/schema";
import { newId } from "@/lib/new-id";

/** Sends a message; a repeated call after a lost response does not send it twice. */
export function useSendMessage() {
  const client = useQueryClient();
  const last = useRef({ body: "", key: "" });
  return useMutation({
    mutationFn: (message: NewSentMessage) => {
      const body = JSON.stringify(message);
      if (last.current.body !== body) last.current = { body, key: newId() };
      return api.post("/api/messages/send", message, { header: { "Idempotency-Key": last.current.key } });
    },
    meta: { handled: true },
    onSuccess: () => client.invalidateQueries({ queryKey: ["sent-messages"] }),
  });
}
