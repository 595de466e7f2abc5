import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FRAMEWORKS, SERVE, SETTINGS } from "./frameworks";

const README = readFileSync(join(import.meta.dirname, "../../../../README.md"), "utf8");

it.each(Object.entries(FRAMEWORKS))("%s is shown as the README has it", (_name, code) => {
  expect(README).toContain(`\`\`\`python\n${code}\n\`\`\``);
});

it("so are the settings and the servers", () => {
  expect(README).toContain(SETTINGS);
  expect(README).toContain(SERVE.FastAPI);
  expect(README).toContain(SERVE.Flask);
});
