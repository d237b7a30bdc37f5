/** Passkeys (WebAuthn): conversion between the server's JSON, with bytes as base64url, and the browser's types. */

type Json = Record<string, unknown>;

const toBytes = (text: string): ArrayBuffer => {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(padded), (letter) => letter.charCodeAt(0)).buffer;
};
const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Some servers wrap the options in the form that browsers expect. */
function unwrapOptions(options: unknown): Json {
  const given = options as Json;
  return structuredClone((given.publicKey ?? given) as Json);
}

const withBinaryIds = (list: unknown) => ((list ?? []) as { id: string }[]).map((one) => ({ ...one, id: toBytes(one.id) }));

/** Undefined and null mean the same to a server, not to a browser. */
const withoutNulls = (given: Json): Json => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** Whether this browser supports passkeys; only secure pages do. */
export const supportsPasskeys = () => typeof PublicKeyCredential !== "undefined" && "credentials" in navigator;

/** Returns the address of a local page by host name, because browsers offer no passkeys for IP addresses. */
export function localName(page: string): string | undefined {
  const url = new URL(page);
  if (url.protocol !== "http:" || !/^(127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return undefined;
  url.hostname = "localhost";
  return url.href;
}

/** Checks whether the browser offers passkeys among a field's suggestions. */
export async function suggestsPasskeys(): Promise<boolean> {
  return supportsPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);
}

/** Whether the member cancelled the browser's dialog or let it time out, which is not an error to show. */
export const wasCancelled = (error: unknown) =>
  error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "AbortError");

function credentialJson(credential: PublicKeyCredential, response: Json): Json {
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    response,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

/** Creates a passkey with the server's options; returns the response for the server. */
export async function makePasskey(options: unknown): Promise<Json> {
  const given = withoutNulls(unwrapOptions(options));
  const user = given.user as { id: string };
  const publicKey = {
    ...given,
    challenge: toBytes(given.challenge as string),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: withBinaryIds(given.excludeCredentials),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return credentialJson(made, {
    clientDataJSON: toText(response.clientDataJSON),
    attestationObject: toText(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

export interface PasskeyUse {
  /** Whether to offer passkeys in the sign-in field's suggestions instead of a dialog. */
  conditional?: boolean;
  signal?: AbortSignal;
}

/** Authenticates with a passkey; returns the response for the server. */
export async function showPasskey(options: unknown, { conditional, signal }: PasskeyUse = {}): Promise<Json> {
  const given = withoutNulls(unwrapOptions(options));
  const publicKey = {
    ...given,
    challenge: toBytes(given.challenge as string),
    allowCredentials: withBinaryIds(given.allowCredentials),
  } as unknown as PublicKeyCredentialRequestOptions;
  const shown = (await navigator.credentials.get({
    publicKey,
    ...(conditional && { mediation: "conditional" as const }),
    ...(signal && { signal }),
  })) as PublicKeyCredential;
  const response = shown.response as AuthenticatorAssertionResponse;
  return credentialJson(shown, {
    clientDataJSON: toText(response.clientDataJSON),
    authenticatorData: toText(response.authenticatorData),
    signature: toText(response.signature),
    userHandle: response.userHandle ? toText(response.userHandle) : null,
  });
}
