import { expect, it } from "vitest";
import { formatCredits } from "./write-credits.ts";

it.each([
  [0n, "0 credits"],
  [1n, "0.000000001 credits"],
  [1_500_000_000n, "1.5 credits"],
  [20_000_000_000n, "20 credits"],
  [-250_000_000n, "-0.25 credits"],
])("writes %s nano-credits as %s", (amount, text) => {
  expect(formatCredits(amount)).toBe(text);
});
