import { api } from "@/api/client";
import { builtInLocales } from "@/lib/locale";
import { currentScheme } from "@/shell/appearance-preview";
import { useCompanyInfo } from "@/shell/company-info";
import { applyScheme } from "@/theme/schemes";

let underWay: Promise<void> | undefined;
let logged = false;

/** Loads the company and the versions, applies the company's scheme and logs the version. */
export function loadCompanyInfo(): Promise<void> {
  underWay ??= load().finally(() => {
    underWay = undefined;
  });
  return underWay;
}

async function load(): Promise<void> {
  const info = await api.get("/api/global/version");
  const { front, offered } = useCompanyInfo.getState();
  // The version of the running interface does not change until a reload.
  useCompanyInfo.setState({
    company: info.company,
    front: front || info.front_version,
    offered: info.front_version,
    locales: info.locales ?? builtInLocales,
    signIn: info.sign_in,
    writable: info.writable,
  });
  // A member who has signed in since may have a scheme of their own.
  applyScheme(currentScheme());
  if (!logged || offered !== info.front_version) console.info(`Atrium ${info.front_version}`);
  logged = true;
}
