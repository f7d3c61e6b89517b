import { describe, expect, it } from "vitest";
import { transferCall } from "../../api/injected-wallets.ts";
import { creditsOf, parseTokens, shorten } from "./token-units.ts";

describe("a typed amount of tokens", () => {
  it.each([
    ["1", 18, 10n ** 18n],
    ["0.5", 6, 500_000n],
    ["0,5", 6, 500_000n],
    ["1.", 6, 1_000_000n],
    ["0.0000010", 6, 1n],
    ["0.0000001", 6, undefined],
    ["0", 6, undefined],
    ["-1", 6, undefined],
    ["1e3", 6, undefined],
    ["", 6, undefined],
  ])("%s at %i decimals is %s units", (text, decimals, units) => {
    expect(parseTokens(text, decimals)).toBe(units);
  });
});

it("is worth what the service says, rounded down", () => {
  expect(creditsOf(10n ** 18n, 18, "2.5")).toBe(2.5);
  expect(creditsOf(1n, 18, "2.5")).toBe(0);
  expect(creditsOf(1_999_999n, 6, "0.1")).toBe(0.1999999);
});

it("is sent by the token's own call", () => {
  const call = transferCall(`0x${"Ab".repeat(20)}`, 255n);
  expect(call).toBe(`0xa9059cbb${"0".repeat(24)}${"ab".repeat(20)}${"0".repeat(62)}ff`);
  expect(shorten("0x1234567890")).toBe("0x1234…7890");
});
