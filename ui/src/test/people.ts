import type { SignedIn, User } from "@/api/schema";

export const mira: User = {
  id: "u1",
  name: "Mira Okafor",
  email: "mira@northwind.example",
  status: "online",
  role: "admin",
  permissions: ["customers.write", "messages.send"],
  locale: "en",
  timezone: "Europe/Madrid",
  region: { dateFormat: "mdy", timeFormat: "12h", firstDay: "sunday", phoneCountry: "US", currency: "USD" },
  ownRegion: {},
  customer: { id: "t1", name: "Northwind Supply", design: { name: "brand" }, idleMinutes: 30 },
  personal: { firstname: "Mira" },
};

const part = (value: object) => btoa(JSON.stringify(value));

/** The response of sign-in and refresh, with a token that lives `life` seconds. */
export function signedIn(life = 300, mark = "a"): SignedIn {
  const now = Math.floor(Date.now() / 1000);
  return {
    accessToken: `${part({ alg: "HS256" })}.${part({ iat: now, exp: now + life })}.${mark}`,
    expiresIn: life,
    expiresAt: new Date(Date.now() + life * 1000).toISOString(),
    user: mira,
  };
}
