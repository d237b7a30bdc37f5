import { create } from "zustand";
import type { Company } from "@/api/schema";
import { pageInfo } from "./page";

/** The company and the versions that the server told at start. */
export const useVersion = create<{ company: Company; front: string; locales: string[] }>(() => {
  const { company, frontVersion } = pageInfo();
  return {
    company: company ?? { name: "Atrium", color_scheme: "default", layout: "modern" },
    front: frontVersion ?? "",
    locales: ["en", "es"],
  };
});
