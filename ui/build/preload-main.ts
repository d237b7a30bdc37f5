import type { Plugin } from "vite";

/**
 * Names, in the page's head, the chunks of `src/main.tsx`: `src/boot.ts` asks for them by itself, but only
 * once it has come; the browser should not wait for that.
 */
export function preloadMain(): Plugin {
  return {
    name: "atrium-preload-main",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((part) => part.type === "chunk");
        const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/src/main.tsx"));
        if (!main) throw new Error("src/main.tsx has no chunk of its own");
        const boot = chunks.find(({ isEntry }) => isEntry);
        const names = [main.fileName, ...main.imports].filter((name) => name !== boot?.fileName && !boot?.imports.includes(name));
        return names.map((name) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${name}` },
          injectTo: "head" as const,
        }));
      },
    },
  };
}
