import { defineConfig } from "vitest/config";
import { flags } from "./build/flags.ts";
import { world } from "./build/world.ts";

const API = process.env["CLICKWAKE_DEV_API"] ?? "http://127.0.0.1:8020";

export default defineConfig({
  // Relative, so that the page may be served from any folder.
  base: "./",
  plugins: [world(), flags()],
  build: {
    target: "es2022",
    // The pages' content security policy allows neither inline code nor data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: API, ws: true }, "/healthz": API },
  },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
