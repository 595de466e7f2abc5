import { expect, it } from "vitest";
import { valueLabel } from "./labels";

it.each([
  ["country", "!DE", "Germany"],
  ["country", "unknown", "Unknown place"],
  ["channel", "paid", "Paid"],
  ["browser", "unknown", "Unknown"],
  ["os", "iOS", "iOS"],
  ["bots", "only", "Bots only"],
  ["bots", "exclude", "People only"],
  ["referrer_domain", "", "No referrer"],
  ["exit", "", "API only"],
  ["city", "!", "(none)"],
  ["utm_campaign", "<b>spring</b>", "<b>spring</b>"],
] as const)("%s %s reads %s", (name, value, label) => {
  expect(valueLabel(name, value)).toBe(label);
});
