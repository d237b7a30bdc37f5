import type { QueryClient } from "@tanstack/react-query";
import type { ServerFrame } from "./schema";

export type FrameType = ServerFrame["type"];
/** The frame with a given type. */
export type FrameOf<T extends FrameType> = Extract<ServerFrame, { type: T }>;

/**
 * Handlers for the frames that a feature owns, exported by its `realtime.ts` and listed in `app/realtime-handlers.ts`.
 * Frames arrive once each, in the server's order; a handler writes them to the query cache or a store.
 */
export type FrameHandlers = { [T in FrameType]?: (data: FrameOf<T>["data"], client: QueryClient) => void };
