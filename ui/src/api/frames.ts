import type { QueryClient } from "@tanstack/react-query";
import type { ServerFrame } from "./schema";

export type FrameType = ServerFrame["type"];
/** The frame of a type. */
export type FrameOf<T extends FrameType> = Extract<ServerFrame, { type: T }>;

/**
 * What a feature does with the frames it owns: a feature's `news.ts` exports one, and `app/realtime-handlers.ts` names it.
 * Frames come in the server's order, each once; a handler puts them into the query cache or a store.
 */
export type FrameHandlers = { [T in FrameType]?: (data: FrameOf<T>["data"], client: QueryClient) => void };
