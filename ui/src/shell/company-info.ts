import { create } from "zustand";
import type { Company, SignInOffer } from "@/api/schema";
import { readPageConfig } from "@/shell/page-config";

interface CompanyInfo {
  company: Company;
  /** The version of the interface that runs here. */
  front: string;
  /** The version that the server has to offer now. */
  offered: string;
  locales: string[];
  signIn: SignInOffer;
  /** Whether the server saves changes now. */
  writable: boolean;
}

/** The company and the versions, as the server told them. */
export const useCompanyInfo = create<CompanyInfo>(() => {
  const { company, frontVersion } = readPageConfig();
  return {
    company: company ?? { name: "Atrium", color_scheme: "default", layout: "modern" },
    front: frontVersion ?? "",
    offered: frontVersion ?? "",
    locales: ["en", "es"],
    signIn: { passkeys: false, sends_email: true },
    writable: true,
  };
});
