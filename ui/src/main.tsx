import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { useSession, whenSessionKnown } from "./api/session";
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
  const session = whenSessionKnown();
  // An authenticated request returns the member's company, even if the address names no company.
  const version = session.then(loadCompanyInfo).catch((error: unknown) => console.error(error));
  await startI18n(page.locale);
  await session;
  // A guest's screen depends on the sign-in methods, which load together with the translations.
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
