// The countries' flags as files beside the page: no emoji font has to exist.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve("country-flag-icons/package.json")),
  "3x2",
);
const ROUTE = /\/assets\/flags\/([A-Z]{2})\.svg$/;

export function flags(): Plugin {
  return {
    name: "clickwake-flags",
    generateBundle() {
      for (const file of readdirSync(FOLDER).filter((name) => /^[A-Z]{2}\.svg$/.test(name))) {
        const source = readFileSync(join(FOLDER, file));
        this.emitFile({ type: "asset", fileName: `assets/flags/${file}`, source });
      }
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const code = ROUTE.exec(request.url ?? "")?.[1];
        if (!code) return next();
        response.setHeader("content-type", "image/svg+xml");
        response.end(readFileSync(join(FOLDER, `${code}.svg`)));
      });
    },
  };
}
