import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ready, useSession } from "./api/session";
import { loadCompanyInfo } from "./features/company-info/data";
import { startI18n } from "./i18n";
import { startsAtSignIn } from "./lib/guest-entry";
import { hideSplash } from "./lib/splash";
import { readPageConfig } from "./shell/page-config";
import { applyScheme, applySchemeType } from "./theme/schemes";

const application = () => import("./app/start-router");

async function start() {
  const page = readPageConfig();
  applySchemeType("light");
  if (page.company) applyScheme(page.company.color_scheme);
  const session = ready();
  // Asked as who one is, it tells one's own company, also where the address names none.
  const version = session.then(loadCompanyInfo).catch((error: unknown) => console.error(error));
  await startI18n(page.locale);
  await session;
  // What a guest can do here is known before it is drawn: it came with the words, at the same time.
  if (!page.company || useSession.getState().state === "guest") await version;

  const element = document.getElementById("root");
  if (!element) throw new Error("The page has no root element");
  const root = createRoot(element);
  const open = async () => (await application()).startRouter(root);

  if (useSession.getState().state !== "guest" || !startsAtSignIn()) return open();
  const { GuestEntry } = await import("./app/guest-entry");
  root.render(
    <StrictMode>
      <GuestEntry onEnter={open} onTyping={() => void application().catch(() => undefined)} />
    </StrictMode>,
  );
  hideSplash();
}

start().catch((error: unknown) => console.error(error));
