import { afterEach, expect, it, vi } from "vitest";
import { localName, makePasskey, showPasskey, suggestsPasskeys, wasCancelled } from "./webauthn";

const bytes = (...values: number[]) => new Uint8Array(values).buffer;
const read = (buffer: unknown) => [...new Uint8Array(buffer as ArrayBuffer)];

function browser(response: Record<string, unknown>) {
  const credential = {
    id: "-_8",
    rawId: bytes(251, 255),
    type: "public-key",
    response,
    getClientExtensionResults: () => ({ credProps: { rk: true } }),
  };
  const create = vi.fn(async (..._options: unknown[]) => credential);
  const get = vi.fn(async (..._options: unknown[]) => credential);
  vi.stubGlobal("navigator", { credentials: { create, get } });
  return { create, get };
}

afterEach(() => vi.unstubAllGlobals());

it("creates a passkey from the server's options, and encodes it as text", async () => {
  const { create } = browser({ clientDataJSON: bytes(1, 2), attestationObject: bytes(255), getTransports: () => ["internal"] });
  const made = await makePasskey({
    publicKey: {
      challenge: "-_8",
      rp: { name: "Atrium" },
      user: { id: "AQI", name: "ada@acme.example" },
      excludeCredentials: [{ id: "AQ", type: "public-key" }],
      attestation: null,
    },
  });
  const { publicKey } = (create.mock.calls[0] ?? [])[0] as { publicKey: Record<string, unknown> };
  expect(read(publicKey.challenge)).toEqual([251, 255]);
  expect(read((publicKey.user as { id: unknown }).id)).toEqual([1, 2]);
  expect(read((publicKey.excludeCredentials as { id: unknown }[])[0]?.id)).toEqual([1]);
  expect("attestation" in publicKey).toBe(false);
  expect(made).toEqual({
    id: "-_8",
    rawId: "-_8",
    type: "public-key",
    response: { clientDataJSON: "AQI", attestationObject: "_w", transports: ["internal"] },
    clientExtensionResults: { credProps: { rk: true } },
  });
});

it("requests a passkey among the browser's suggestions, and encodes it as text", async () => {
  const { get } = browser({ clientDataJSON: bytes(1), authenticatorData: bytes(2), signature: bytes(3), userHandle: bytes(4) });
  const { signal } = new AbortController();
  const shown = await showPasskey({ challenge: "AQ", rpId: "acme.example" }, { conditional: true, signal });
  expect(get.mock.calls[0]?.[0]).toMatchObject({
    mediation: "conditional",
    signal,
    publicKey: { rpId: "acme.example", allowCredentials: [] },
  });
  expect(shown).toMatchObject({ response: { clientDataJSON: "AQ", authenticatorData: "Ag", signature: "Aw", userHandle: "BA" } });
});

it("distinguishes a cancelled prompt from a failure, and detects a browser without passkeys", async () => {
  expect(wasCancelled(new DOMException("x", "NotAllowedError"))).toBe(true);
  expect(wasCancelled(new DOMException("x", "SecurityError"))).toBe(false);
  expect(await suggestsPasskeys()).toBe(false);
});

it("replaces a loopback address by localhost", () => {
  expect(localName("http://127.0.0.1:8080/settings/security?a=b")).toBe("http://localhost:8080/settings/security?a=b");
  expect(localName("http://[::1]:8080/")).toBe("http://localhost:8080/");
  for (const other of ["http://localhost:8080/", "http://192.168.1.7/", "https://127.0.0.1/", "https://atrium.example/"])
    expect(localName(other), other).toBeUndefined();
});
