import { newId } from "@trunkline/core/id.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import { type SealedResponse, type SealedResponseStore, StoredResponses } from "./stored-responses.ts";

const ACCOUNT = newId();
const MIB = 1024 * 1024;

/** A store that only remembers what was done with it. */
function openStore({ waits = Promise.resolve() }: { waits?: Promise<void> } = {}) {
  const saved: SealedResponse[] = [];
  const trimmed: string[] = [];
  const store: SealedResponseStore = {
    async save(sealed) {
      await waits;
      saved.push(sealed);
    },
    find: async (_account, id) => saved.find((sealed) => sealed.id === id),
    chain: async () => ({ responses: [], isWhole: false, isTooLong: false }),
    parts: async (part, _account, ids) =>
      saved.flatMap((sealed) => (ids.includes(sealed.id) ? [{ id: sealed.id, box: sealed[part] }] : [])),
    remove: async () => false,
    trim: async (accountId) => void trimmed.push(accountId),
    sweep: async () => undefined,
  };
  const responses = new StoredResponses({
    store,
    sealer: new Sealer(new Secret("a-secret-of-the-tests"), "responses"),
    clock: new ManualClock(),
    days: 30,
    onError: () => undefined,
  });
  return { responses, saved, trimmed };
}

function responseOf(bytes: number, id = newId()) {
  const input = [{ id: `msg-${id}-in0`, text: "a".repeat(bytes) }];
  return {
    id,
    accountId: ACCOUNT,
    chain: [],
    referredItemIds: [],
    input,
    response: { output: [{ id: `msg-${id}-0` }] },
  };
}

describe("what is kept", () => {
  it("has a largest size", async () => {
    const { responses, saved } = openStore();
    expect(await responses.save(responseOf(7 * MIB))).toBe(true);
    expect(await responses.save(responseOf(8 * MIB))).toBe(false);
    expect(saved).toHaveLength(1);
  });

  it("is bounded while the store is slow: what is too much is not kept", async () => {
    let proceed: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (proceed = resolve));
    const { responses } = openStore({ waits });
    const saving = Array.from({ length: 10 }, () => responses.save(responseOf(7 * MIB)));
    proceed();
    const kept = await Promise.all(saving);
    expect(kept.filter((isKept) => isKept)).toHaveLength(9);
    expect(await responses.save(responseOf(7 * MIB))).toBe(true);
  });

  it("is counted again after each 32 MiB of an account, and at each sweep after it wrote", async () => {
    const { responses, trimmed } = openStore();
    for (let count = 0; count < 4; count++) await responses.save(responseOf(7 * MIB));
    expect(trimmed).toEqual([]);
    await responses.save(responseOf(7 * MIB));
    expect(trimmed).toEqual([ACCOUNT]);
    await responses.sweep();
    expect(trimmed).toEqual([ACCOUNT]);
    await responses.save(responseOf(1));
    await responses.sweep();
    expect(trimmed).toEqual([ACCOUNT, ACCOUNT]);
  });

  it("is found by the ids of its items, and its size is told before it is opened", async () => {
    const { responses } = openStore();
    const { id, ...others } = responseOf(10);
    await responses.save({ id, ...others });
    const counted: number[] = [];
    const ids = [`msg-${id}-0`, `msg-${id}-in0`, `msg-${newId()}-0`, "msg-1"];
    const items = await responses.items(ACCOUNT, ids, (bytes) => counted.push(bytes));
    expect([...items.keys()]).toEqual(ids.slice(0, 2));
    expect(counted.every((bytes) => bytes > 0)).toBe(true);
    const refuse = () => {
      throw new Error("too much");
    };
    await expect(responses.items(ACCOUNT, ids, refuse)).rejects.toThrow("too much");
  });
});
