import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ready, useSession } from "./api/session";
import { loadVersion } from "./features/version/data";
import { startI18n } from "./i18n";
import { atTheDoor } from "./lib/door";
import { pageInfo } from "./lib/page";
import { hideSplash } from "./lib/splash";
import { applyScheme, applySchemeType } from "./theme/schemes";

const application = () => import("./app/start-router");

async function start() {
  const page = pageInfo();
  applySchemeType("light");
  if (page.company) applyScheme(page.company.color_scheme);
  const session = ready();
  // Asked as who one is, it tells one's own company, also where the address names none.
  const version = session.then(loadVersion).catch((error: unknown) => console.error(error));
  await startI18n(page.locale);
  await session;
  // What a guest can do here is known before it is drawn: it came with the words, at the same time.
  if (!page.company || useSession.getState().state === "guest") await version;

  const element = document.getElementById("root");
  if (!element) throw new Error("The page has no root element");
  const root = createRoot(element);
  const open = async () => (await application()).startRouter(root);

  if (useSession.getState().state !== "guest" || !atTheDoor()) return open();
  const { Door } = await import("./app/door");
  root.render(
    <StrictMode>
      <Door onEnter={open} onTyping={() => void application().catch(() => undefined)} />
    </StrictMode>,
  );
  hideSplash();
}

start().catch((error: unknown) => console.error(error));
