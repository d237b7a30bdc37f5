import { create } from "zustand";
import type { Company } from "@/api/schema";
import { pageInfo } from "./page";

/** What the sign-in pages can offer here. */
export interface SignInOffer {
  /** Who may sign up: a new company, the first one of all, whoever joins this host's company; nobody. */
  sign_up: "company" | "first" | "join" | null;
  passkeys: boolean;
  /** The provider that the company signs in by. */
  single_sign_on: { name: string; company: string } | null;
}

interface VersionState {
  company: Company;
  /** The version of the interface that runs here. */
  front: string;
  /** The version that the server has to offer now. */
  offered: string;
  locales: string[];
  signIn: SignInOffer;
}

/** The company and the versions, as the server told them. */
export const useVersion = create<VersionState>(() => {
  const { company, frontVersion } = pageInfo();
  return {
    company: company ?? { name: "Atrium", color_scheme: "default", layout: "modern" },
    front: frontVersion ?? "",
    offered: frontVersion ?? "",
    locales: ["en", "es"],
    signIn: { sign_up: null, passkeys: false, single_sign_on: null },
  };
});
