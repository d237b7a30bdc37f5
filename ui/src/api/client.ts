import { type CallOptions, request } from "./request";
import type { Input, PathOf } from "./schema";
import type { paths } from "./schema.gen";

type Empty = Record<string, never>;

type Options<O> = O extends { parameters: infer P } ? CallOptions & Input<P> : never;
type Body<O> = O extends { requestBody: { content: infer C } } ? (C extends { "application/json": infer B } ? Input<B> : FormData) : Empty;
type WithoutBody<O> = Empty extends Options<O> ? [options?: Options<O>] : [options: Options<O>];
type WithBody<O> = Empty extends Body<O> & Options<O> ? [body?: Body<O>, options?: Options<O>] : [body: Body<O>, ...WithoutBody<O>];

/** The body of a response, as `request` returns it: without the `data` around it. */
type Json<R> = R extends { content: { "application/json": infer B } } ? (B extends { data: infer D } ? D : B) : undefined;
type Result<O> = O extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202 | 204)]> : never;

/** Calls the server's API. The API document gives the parameters, the body and the result of every call. */
export const api = {
  get: <P extends PathOf<"get">>(path: P, ...[options]: WithoutBody<paths[P]["get"]>) =>
    request<Result<paths[P]["get"]>>("GET", path, undefined, options),
  post: <P extends PathOf<"post">>(path: P, ...[body, options]: WithBody<paths[P]["post"]>) =>
    request<Result<paths[P]["post"]>>("POST", path, body ?? {}, options),
  put: <P extends PathOf<"put">>(path: P, ...[body, options]: WithBody<paths[P]["put"]>) =>
    request<Result<paths[P]["put"]>>("PUT", path, body, options),
  patch: <P extends PathOf<"patch">>(path: P, ...[body, options]: WithBody<paths[P]["patch"]>) =>
    request<Result<paths[P]["patch"]>>("PATCH", path, body, options),
  delete: <P extends PathOf<"delete">>(path: P, ...[options]: WithoutBody<paths[P]["delete"]>) =>
    request<Result<paths[P]["delete"]>>("DELETE", path, undefined, options),
};

/** The header with which a change is refused if the record has another version; without a version, none. */
export const ifMatch = (version: number | undefined) => ({ "If-Match": version === undefined ? undefined : `"${version}"` });
