import { describe, expect, it } from "vitest";
import { byCountry, bySpot, isHere, presence } from "./presence";
import { MINUTE, NOON, place, session } from "./session.fixture";

describe("who is here", () => {
  it("an open session, until silence ends it", () => {
    expect(isHere(session(), NOON + 30 * MINUTE - 1)).toBe(true);
    expect(isHere(session(), NOON + 30 * MINUTE)).toBe(false);
  });

  it.each(["closed", "final", "merged"] as const)("not a %s one", (status) => {
    expect(isHere(session({ status }), NOON)).toBe(false);
  });

  it("not an open one of a replay of another year", () => {
    expect(isHere(session({ start: Date.UTC(2015, 4, 17) }), NOON)).toBe(false);
  });

  it("people and bots are counted apart by the server", () => {
    const counts = { open_sessions: 12, open_bots: 3, minutes: [] };
    expect(presence(counts)).toEqual({ people: 12, bots: 3 });
    expect(presence(null)).toEqual({ people: 0, bots: 0 });
  });
});

it("countries come most sessions first, the unknown last", () => {
  const at = (country: string | null) => session({ geo: country ? place(country, 0, 0) : null });
  const sessions = [null, null, null, "FR", "DE", "DE", "AT"].map(at);
  expect(byCountry(sessions)).toEqual([
    { country: "DE", sessions: 2 },
    { country: "AT", sessions: 1 },
    { country: "FR", sessions: 1 },
    { country: null, sessions: 3 },
  ]);
});

it("sessions within a degree share a spot; those without coordinates have none", () => {
  const spots = bySpot([
    session({ geo: place("DE", 52.5, 13.4) }),
    session({ geo: place("DE", 53.4, 13.2) }),
    session({ geo: place("FR", 48.9, 2.4) }),
    session({ geo: null }),
  ]);
  expect(spots.map((spot) => spot.sessions)).toEqual([2, 1]);
});
