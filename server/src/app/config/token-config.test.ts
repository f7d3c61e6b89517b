import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const SETTINGS = {
  TRUNKLINE_TOKEN_RPC_URL: "https://one.example/key, http://127.0.0.1:8545",
  TRUNKLINE_TOKEN_CHAIN_ID: "8453",
  TRUNKLINE_TOKEN_CONTRACT: `0x${"Ab".repeat(20)}`,
  TRUNKLINE_TOKEN_TREASURY: `0x${"cd".repeat(20)}`,
  TRUNKLINE_TOKEN_RATE: "0.250",
};

describe("the settings of token payments", () => {
  it("are none where nothing is set", () => {
    expect(readConfig({}).token).toBeUndefined();
  });

  it("are read exactly, and addresses of nodes are secrets", () => {
    const { token } = readConfig(SETTINGS);
    expect(token).toMatchObject({
      chainId: 8453,
      contract: `0x${"ab".repeat(20)}`,
      rate: { kind: "fixed", rate: { numerator: 250n, decimals: 3 } },
      confirmations: undefined,
      startBlock: 0n,
    });
    expect(token?.rpcUrls.map((url) => url.reveal())).toEqual(["https://one.example/key", "http://127.0.0.1:8545"]);
    expect(String(token?.rpcUrls)).not.toContain("key");
  });

  it("may name a price source in place of a rate", () => {
    const feed = `0x${"12".repeat(20)}`;
    const { token } = readConfig({ ...SETTINGS, TRUNKLINE_TOKEN_RATE: "", TRUNKLINE_TOKEN_PRICE_FEED: feed });
    expect(token?.rate).toEqual({ kind: "feed", address: feed, maxAgeSeconds: 3_600 });
  });

  it.each([
    [{ TRUNKLINE_TOKEN_TREASURY: "" }, /TRUNKLINE_TOKEN_TREASURY is required/],
    [{ TRUNKLINE_TOKEN_RATE: "" }, /either TRUNKLINE_TOKEN_RATE/],
    [{ TRUNKLINE_TOKEN_PRICE_FEED: `0x${"12".repeat(20)}` }, /either TRUNKLINE_TOKEN_RATE/],
    [{ TRUNKLINE_TOKEN_RATE: "0.00" }, /TRUNKLINE_TOKEN_RATE.*above 0/],
    [{ TRUNKLINE_TOKEN_RATE: "1e3" }, /TRUNKLINE_TOKEN_RATE.*decimal/],
    [{ TRUNKLINE_TOKEN_CONTRACT: "0x12" }, /TRUNKLINE_TOKEN_CONTRACT.*address/],
    [{ TRUNKLINE_TOKEN_RPC_URL: "https://one.example,nonsense" }, /TRUNKLINE_TOKEN_RPC_URL.*number 2 is none/],
    [{ TRUNKLINE_TOKEN_CONFIRMATIONS: "0" }, /TRUNKLINE_TOKEN_CONFIRMATIONS.*1 to 100000/],
  ])("with %o are refused by a sentence", (change, sentence) => {
    expect(() => readConfig({ ...SETTINGS, ...change })).toThrow(sentence);
  });
});
