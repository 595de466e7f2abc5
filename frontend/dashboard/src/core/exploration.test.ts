import { describe, expect, it } from "vitest";
import {
  BEGINNING,
  explorationFrom,
  movedStep,
  partOf,
  question,
  stepName,
  withoutStep,
  withStep,
  type Exploration,
} from "./exploration";
import { NO_FILTERS } from "./filters";

const UTC = { zone: "utc", name: "UTC" } as const;

const cart: Exploration = { ...BEGINNING, steps: ["/", "/cart"], by: "visitor", within: "1h" };

describe("the address", () => {
  it("holds only what is not as at first", () => {
    expect(partOf(BEGINNING)).toBe("funnel");
    expect(partOf(cart)).toBe("funnel?by=visitor&within=1h&step=%2F&step=%2Fcart");
  });

  it.each([
    cart,
    { ...BEGINNING, kind: "retention", interval: "day", period: "7" },
    { ...BEGINNING, kind: "paths", page: "/a?b=c&d #é", direction: "previous", depth: "5" },
    { ...BEGINNING, kind: "paths", period: "custom", from: "2026-03-01", to: "2026-03-31" },
  ] as Exploration[])("is read as it was written", (asked) => {
    expect(explorationFrom(partOf(asked))).toEqual(asked);
  });

  it("is as at first where it makes no sense", () => {
    expect(explorationFrom("pie?period=4000&within=1y&depth=99&from=soon&to=")).toEqual(BEGINNING);
  });

  it("takes no more steps than the API", () => {
    expect(explorationFrom(`funnel?${"step=/a&".repeat(20)}`).steps).toHaveLength(8);
  });
});

describe("the question", () => {
  it("waits for two steps", () => {
    expect(question({ ...BEGINNING, steps: ["/"] }, NO_FILTERS, UTC)).toBeNull();
    expect(question(cart, NO_FILTERS, UTC)).toBe(
      "/stats/funnel?from=-30d&bots=exclude&step=%2F&step=%2Fcart&by=visitor&within=1h",
    );
  });

  it("has the filters in the history's own words", () => {
    const filters = { ...NO_FILTERS, country: ["!DE"], status: ["merged"], q: "a b" };
    expect(question({ ...BEGINNING, kind: "paths" }, filters, UTC)).toBe(
      "/stats/paths?from=-30d&country=%21DE&q=a+b&bots=exclude&direction=next&depth=3&limit=6",
    );
  });

  it("asks for whole days of the zone", () => {
    const march = { ...BEGINNING, kind: "retention", period: "custom" } as const;
    const days = { ...march, from: "2026-03-01", to: "2026-03-31" };
    expect(question(days, NO_FILTERS, UTC)).toBe(
      "/stats/retention?from=2026-03-01T00%3A00%3A00.000Z&to=2026-04-01T00%3A00%3A00.000Z" +
        "&bots=exclude&interval=week&tz=UTC",
    );
    expect(question({ ...days, to: "2026-02-01" }, NO_FILTERS, UTC)).toBeNull();
    expect(question(march, NO_FILTERS, UTC)).toBeNull();
  });

  it("leaves the last twelve weeks to the API", () => {
    const weeks = { ...BEGINNING, kind: "retention", period: "90" } as const;
    expect(question(weeks, NO_FILTERS, UTC)).not.toContain("from=");
    expect(question({ ...weeks, interval: "day" }, NO_FILTERS, UTC)).toContain("from=-90d");
  });
});

describe("steps", () => {
  it("are added, moved and taken away", () => {
    const three = withStep(cart, " /checkout ");
    expect(three.steps).toEqual(["/", "/cart", "/checkout"]);
    expect(movedStep(three, 2, -1).steps).toEqual(["/", "/checkout", "/cart"]);
    expect(movedStep(three, 0, -1)).toBe(three);
    expect(movedStep(three, 2, 1)).toBe(three);
    expect(withoutStep(three, 1).steps).toEqual(["/", "/checkout"]);
    expect(withStep(cart, "  ")).toBe(cart);
  });

  it("are paths or custom events", () => {
    expect(stepName("event:sign-up")).toEqual({ name: "sign-up", isEvent: true });
    expect(stepName("/event:x")).toEqual({ name: "/event:x", isEvent: false });
  });
});
