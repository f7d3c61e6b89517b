import { describe, expect, it } from "vitest";
import { formatMoney } from "../../ui/format.ts";
import { changeWords } from "./change-words.ts";

describe("a change against the period before", () => {
  it.each([
    [1.5, 1, "+50% vs previous period"],
    [0.25, 1, "−75% vs previous period"],
    [45.2, 1, "45× the previous period"],
    [2, 2, "Same as the previous period"],
    [2, 0, "vs $0.00 in the previous period"],
  ])("from %d to %d", (now, before, text) => {
    expect(changeWords(now, before, formatMoney)).toBe(text);
  });
});
