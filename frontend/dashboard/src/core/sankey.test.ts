import { describe, expect, it } from "vitest";
import type { PathsAnswer } from "./explore_answers";
import { BAR_WIDTH, sankey, shortened } from "./sankey";

const ANSWER: PathsAnswer = {
  page: "/",
  direction: "next",
  sessions: 10,
  steps: [
    { number: 0, pages: [{ path: "/", sessions: 10 }], others: 0, ended: 0 },
    { number: 1, pages: [{ path: "/cart", sessions: 6 }], others: 1, ended: 3 },
    { number: 2, pages: [], others: 0, ended: 0 },
  ],
  links: [
    { number: 0, source: "/", target: "/cart", sessions: 6 },
    { number: 0, source: "/", target: null, sessions: 3 },
    { number: 0, source: "/", target: "/not-listed", sessions: 1 },
  ],
};

describe("a Sankey diagram", () => {
  const { bars, bands, width, column } = sankey(ANSWER);

  it("has a bar for each page, for the others and for the end, and no empty column", () => {
    expect(bars.map((bar) => [bar.number, bar.kind, bar.path, bar.height])).toEqual([
      [0, "page", "/", 260],
      [1, "page", "/cart", 156],
      [1, "others", "", 26],
      [1, "ended", "", 78],
    ]);
    expect([column, width]).toEqual([330, 660]);
  });

  it("draws bands between bars that are there, as wide as they have sessions", () => {
    expect(bands.map((band) => [band.source, band.target, band.width])).toEqual([
      ["/", "/cart", 156],
      ["/", null, 78],
    ]);
    expect(bands[0]!.path.startsWith(`M${BAR_WIDTH} 96C`)).toBe(true);
    expect(bands[1]!.path.startsWith(`M${BAR_WIDTH} 213C`)).toBe(true);
  });

  it("leads towards the page when it tells what came before", () => {
    const back = sankey({ ...ANSWER, direction: "previous" });
    expect(back.bars[0]!.x).toBe(330);
    expect(back.bands[0]!.path.startsWith(`M${BAR_WIDTH} `)).toBe(true);
    expect(back.bands[0]!.path.endsWith(" 330 96")).toBe(true);
  });

  it("is empty without sessions", () => {
    const nothing = { ...ANSWER, sessions: 0, steps: [], links: [] };
    expect(sankey(nothing)).toMatchObject({ bars: [], bands: [], width: 0 });
  });
});

describe("a path that is too long", () => {
  it("keeps its beginning and its end", () => {
    expect(shortened("/products/a-very-long-name-of-a-thing", 16)).toBe("/products…-thing");
    expect(shortened("/cart", 16)).toBe("/cart");
  });

  it("breaks no letter", () => {
    expect(shortened("😀".repeat(20), 6)).toBe("😀😀😀…😀😀");
  });
});
