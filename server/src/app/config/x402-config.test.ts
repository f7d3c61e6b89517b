import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const TOKEN = {
  TRUNKLINE_TOKEN_RPC_URL: "https://one.example",
  TRUNKLINE_TOKEN_CHAIN_ID: "8453",
  TRUNKLINE_TOKEN_CONTRACT: `0x${"ab".repeat(20)}`,
  TRUNKLINE_TOKEN_TREASURY: `0x${"cd".repeat(20)}`,
  TRUNKLINE_TOKEN_RATE: "0.25",
};
const X402 = {
  TRUNKLINE_X402_PAY_TO: `0x${"Ce".repeat(20)}`,
  TRUNKLINE_X402_ASSET: `0x${"AB".repeat(20)}`,
  TRUNKLINE_X402_CHAIN_ID: "8453",
  TRUNKLINE_X402_RPC_URL: "https://one.example",
  TRUNKLINE_X402_KEY: `0x${"a1".repeat(32)}`,
};

describe("the settings of payments for single requests", () => {
  it("are none where nothing is set, and may use the service's own token", () => {
    expect(readConfig({}).x402).toBeUndefined();
    expect(readConfig({ ...TOKEN, ...X402 }).x402).toMatchObject({ chainId: 8453, payTo: `0x${"ce".repeat(20)}` });
  });

  it.each([
    // The transfer of a request would be a deposit of a linked wallet as well.
    [{ TRUNKLINE_X402_PAY_TO: `0x${"CD".repeat(20)}` }, /TRUNKLINE_X402_PAY_TO is TRUNKLINE_TOKEN_TREASURY/],
    [{ TRUNKLINE_TOKEN_PAYOUT_KEY: `0x${"A1".repeat(32)}` }, /are the same key/],
    [{ TRUNKLINE_X402_KEY: "" }, /TRUNKLINE_X402_KEY is required/],
    [{ TRUNKLINE_X402_KEY: "0x12" }, /TRUNKLINE_X402_KEY.*private key/],
    [{ TRUNKLINE_X402_RATE: "0" }, /TRUNKLINE_X402_RATE.*above 0/],
  ])("with %o are refused by a sentence", (change, sentence) => {
    expect(() => readConfig({ ...TOKEN, ...X402, ...change })).toThrow(sentence);
  });

  it("may have the treasury as recipient of another asset", () => {
    const change = {
      TRUNKLINE_X402_PAY_TO: TOKEN.TRUNKLINE_TOKEN_TREASURY,
      TRUNKLINE_X402_ASSET: `0x${"ef".repeat(20)}`,
    };
    expect(readConfig({ ...TOKEN, ...X402, ...change }).x402?.payTo).toBe(TOKEN.TRUNKLINE_TOKEN_TREASURY);
  });
});
