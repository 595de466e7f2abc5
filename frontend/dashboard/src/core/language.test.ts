import { expect, test } from "vitest";
import { preferredLanguage } from "./language";

test.each([
  [["de-AT", "en"], "de"],
  [["fr", "de"], "de"],
  [["en-GB", "de"], "en"],
  [["fr"], "en"],
  [[], "en"],
] as const)("of %j it speaks %s", (wanted, spoken) => {
  expect(preferredLanguage(wanted)).toBe(spoken);
});
