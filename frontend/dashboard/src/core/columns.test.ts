import { describe, expect, it } from "vitest";
import {
  columnsFrom,
  direction,
  fieldsOf,
  FIRST_COLUMNS,
  nextSort,
  sortFrom,
  withToggled,
} from "./columns";

describe("chosen columns", () => {
  it("keep their places, whatever order they were chosen in", () => {
    expect(withToggled(["start", "status"], "entry")).toEqual(["start", "entry", "status"]);
    expect(withToggled(["start", "entry"], "start")).toEqual(["entry"]);
  });

  it("are never none", () => {
    expect(withToggled(["start"], "start")).toEqual(["start"]);
    expect(columnsFrom([])).toEqual(FIRST_COLUMNS);
  });

  it("are remembered as far as they are known", () => {
    expect(columnsFrom(["visitor", "gone", "start"])).toEqual(["start", "visitor"]);
    expect(columnsFrom("start")).toEqual(FIRST_COLUMNS);
    expect(columnsFrom(null)).toEqual(FIRST_COLUMNS);
  });

  it("say which fields they need, each once, and always the id", () => {
    expect(fieldsOf(["start", "revision"])).toEqual(["session_id", "start", "epoch", "revision"]);
  });
});

describe("the order of the rows", () => {
  it("is the largest first, and turns with the second press", () => {
    expect(nextSort("-start", "duration")).toBe("-duration");
    expect(nextSort("-duration", "duration")).toBe("duration");
    expect(nextSort("duration", "duration")).toBe("-duration");
  });

  it("shows at its column", () => {
    expect(direction("-start", "start")).toBe("descending");
    expect(direction("events", "events")).toBe("ascending");
    expect(direction("events", "start")).toBe("none");
  });

  it("is read from the address", () => {
    expect(["-start", "events", "--end", "pages", ""].map(sortFrom)).toEqual([
      "-start",
      "events",
      null,
      null,
      null,
    ]);
  });
});
