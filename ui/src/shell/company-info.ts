import { create } from "zustand";
import type { Company, SignInOffer } from "@/api/schema";
import { builtInLocales } from "@/lib/locale";
import { readPageConfig } from "@/shell/page-config";

interface CompanyInfo {
  company: Company;
  /** The version of this interface. */
  front: string;
  /** The version that the server offers now. */
  offered: string;
  locales: string[];
  signIn: SignInOffer;
  /** Whether the server accepts changes now. */
  writable: boolean;
}

/** The company and the versions, as the server reported them. */
export const useCompanyInfo = create<CompanyInfo>(() => {
  const { company, frontVersion } = readPageConfig();
  return {
    company: company ?? { name: "Atrium", color_scheme: "default", layout: "modern" },
    front: frontVersion ?? "",
    offered: frontVersion ?? "",
    locales: builtInLocales,
    signIn: { passkeys: false, sends_email: true },
    writable: true,
  };
});
