// Writes src/contracts.gen.ts from the contracts' JSON Schema; `--check` only compares.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const SCHEMAS = new URL("../../../contracts/schema/", import.meta.url);
const TARGET = new URL("../src/contracts.gen.ts", import.meta.url);
const SOURCES = ["live", "live-client", "events", "ledger"];
const BANNER = "// Generated from contracts/schema by `npm run contracts`. Do not edit.";

const documents = await Promise.all(SOURCES.map(readSchema));
const text = await compile(union(documents), "Contract", {
  additionalProperties: false,
  bannerComment: BANNER,
});

if (process.argv.includes("--check")) await check();
else await writeFile(TARGET, text);

async function readSchema(name) {
  return JSON.parse(await readFile(new URL(`${name}.schema.json`, SCHEMAS), "utf8"));
}

/** One document, so that a type which several messages share is declared once. */
function union([live, ...others]) {
  const definitions = Object.assign({}, ...others.map((d) => d.$defs), live.$defs);
  for (const definition of Object.values(definitions)) requireDefaults(definition);
  const server = { title: "ServerMessage", oneOf: live.anyOf };
  const roots = [server, ...others.map(root)];
  return { title: "Contract", oneOf: roots, $defs: definitions };
}

/** A document of one type, or of the messages that a client may send. */
function root({ $ref, anyOf }) {
  return $ref ? { $ref } : { title: "ClientMessage", oneOf: anyOf };
}

/** The servers write every field that has a default: only what is neither may be absent. */
function requireDefaults(definition) {
  const { properties, required } = definition;
  if (!properties) return;
  definition.required = Object.keys(properties).filter(
    (name) => required?.includes(name) || "default" in properties[name],
  );
}

async function check() {
  const current = await readFile(TARGET, "utf8").catch(() => "");
  if (current === text) return;
  console.error("src/contracts.gen.ts is stale: run `npm run contracts`");
  process.exitCode = 1;
}
