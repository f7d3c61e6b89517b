import { describe, expect, it } from "vitest";
import { BodyMemory, bodyMemoryLimits } from "./body-memory.ts";

const one = { accountId: "a", keyId: "a1" };
const sibling = { accountId: "a", keyId: "a2" };
const other = { accountId: "b", keyId: "b1" };

describe("BodyMemory", () => {
  it("refuses what exceeds the share of a key, of its account, or of all, each with a time to try again", () => {
    const memory = new BodyMemory({ all: 100, account: 60, key: 40 });
    memory.take(one, 40);
    const retry = { details: { retryAfterSeconds: 1 } };
    expect(() => memory.take(one, 1)).toThrow(expect.objectContaining({ status: 429, ...retry }));
    memory.take(sibling, 20);
    expect(() => memory.take(sibling, 1)).toThrow(expect.objectContaining({ status: 429, ...retry }));
    memory.take(other, 40);
    expect(() => memory.take({ accountId: "c", keyId: "c1" }, 1)).toThrow(
      expect.objectContaining({ status: 503, type: "overloaded", ...retry }),
    );
    expect(memory.bytes).toBe(100);
  });

  it("counts nothing of a refused body, and frees what is given back", () => {
    const memory = new BodyMemory({ all: 100, account: 60, key: 40 });
    memory.take(one, 30);
    expect(() => memory.take(one, 20)).toThrow("40 bytes");
    memory.giveBack(one, 30);
    expect(memory.bytes).toBe(0);
    memory.take(one, 40);
  });

  it("lets one body be as large as bodies may be, however little memory there is", () => {
    expect(bodyMemoryLimits(64, 20)).toEqual({ all: 64, account: 32, key: 20 });
    expect(bodyMemoryLimits(10, 20)).toEqual({ all: 20, account: 20, key: 20 });
  });
});
