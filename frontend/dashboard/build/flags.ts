// The countries' flags as files beside the page: no emoji font has to exist.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const ID = "virtual:flags";
const RESOLVED = `\0${ID}`;
const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve("country-flag-icons/package.json")),
  "3x2",
);

/** `virtual:flags` tells the folder's name, which holds a digest: servers may cache it for ever. */
export function flags(): Plugin {
  const files = readFlags();
  const folder = `assets/flags-${digest(files)}`;
  return {
    name: "clickwake-flags",
    resolveId: (id) => (id === ID ? RESOLVED : null),
    load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(folder)};` : null),
    generateBundle() {
      for (const [name, source] of files) {
        this.emitFile({ type: "asset", fileName: `${folder}/${name}`, source });
      }
    },
    configureServer(server) {
      server.middlewares.use(`/${folder}`, (request, response, next) => {
        const source = files.get((request.url ?? "").slice(1));
        if (!source) return next();
        response.setHeader("content-type", "image/svg+xml");
        response.end(source);
      });
    },
  };
}

function readFlags(): Map<string, Buffer> {
  const names = readdirSync(FOLDER).filter((name) => /^[A-Z]{2}\.svg$/.test(name));
  return new Map(names.sort().map((name) => [name, readFileSync(join(FOLDER, name))]));
}

function digest(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, source] of files) hash.update(name).update(source);
  return hash.digest("base64url").slice(0, 8);
}
