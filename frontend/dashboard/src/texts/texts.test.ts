import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { de } from "./de";
import { en } from "./en";

const SOURCE = join(import.meta.dirname, "..");
/** Names and commands are the same in every language. */
const NO_TEXTS = new Set([
  "Clickwake",
  "cw_…",
  "./clickwake keys create --scope read",
  "(CC BY 4.0)",
  "UTC",
]);
const SPOKEN_ATTRIBUTES = new Set(["aria-label", "title", "placeholder", "alt", "label", "name"]);
const isWord = (text: string) => /\p{L}{2,}/u.test(text);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What a file writes into the page by itself: text between tags, and attributes that are read. */
function literals(file: string): string[] {
  const { program } = parseSync(file, readFileSync(file, "utf8"), { lang: "tsx" });
  const found: string[] = [];
  visit(program as unknown as Node, (node) => {
    if (node.type === "JSXText") found.push(node["value"] as string);
    if (node.type === "JSXAttribute") found.push(...spoken(node));
  });
  return found.map((text) => text.trim()).filter((text) => isWord(text) && !NO_TEXTS.has(text));
}

function spoken(attribute: Node): string[] {
  const { name } = attribute["name"] as { name: string };
  const value = attribute["value"] as Node | null;
  const isText = value?.type === "Literal" && SPOKEN_ATTRIBUTES.has(name);
  // Lower-case single words are names for the program: of icons and filters.
  return isText && !/^[a-z_]+$/.test(value["value"] as string) ? [value["value"] as string] : [];
}

function visit(node: unknown, look: (node: Node) => void): void {
  if (Array.isArray(node)) return node.forEach((each) => visit(each, look));
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) look(node as Node);
  Object.values(node).forEach((each) => visit(each, look));
}

const files = ["view", "pages"].flatMap((folder) =>
  readdirSync(join(SOURCE, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx"))
    .map((name) => join(SOURCE, folder, name)),
);

it("a text in a view is found", () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.map(literals).flat()).toEqual([]);
});

describe("German", () => {
  it("says something wherever English does", () => {
    const empty = paths(de).filter(([, text]) => text === "");
    expect(empty).toEqual([]);
  });

  it("is not English that was left standing", () => {
    const english = new Map(paths(en));
    const same = paths(de).filter(
      ([path, text]) => english.get(path) === text && text.split(" ").length > 3,
    );
    expect(same).toEqual([]);
  });
});

/** Every plain text with its place. */
function paths(value: unknown, at = ""): [string, string][] {
  if (typeof value === "string") return [[at, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => paths(each, `${at}.${key}`));
}
