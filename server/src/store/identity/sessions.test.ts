import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { PostgresOneTimeTokens } from "./sessions.ts";

let store: FreshStore;
let tokens: PostgresOneTimeTokens;

beforeAll(async () => {
  store = await openFreshStore();
  tokens = new PostgresOneTimeTokens(store.database);
});
afterAll(() => store.close());

const content = { personId: undefined, data: { email: "ada@example.test" } };

describe("a token", () => {
  it("can be read often, is consumed once, and serves its purpose only", async () => {
    const hash = randomBytes(32);
    await tokens.put(hash, "sign-up", content, 60);
    expect(await tokens.peek(hash, "sign-up")).toEqual(content);
    expect(await tokens.peek(hash, "reset")).toBeUndefined();
    expect(await tokens.consume(hash, "reset")).toBeUndefined();
    const taken = await Promise.all([1, 2, 3].map(() => tokens.consume(hash, "sign-up")));
    expect(taken.filter(Boolean)).toEqual([content]);
  });

  it("expires after its lifetime, and is swept then", async () => {
    const hash = randomBytes(32);
    await tokens.put(hash, "reset", content, 0);
    expect(await tokens.peek(hash, "reset")).toBeUndefined();
    expect(await tokens.consume(hash, "reset")).toBeUndefined();
    await tokens.sweep();
    expect(await store.database.query("SELECT 1 FROM one_time_tokens WHERE hash = $1", [hash])).toEqual([]);
  });

  it("allows a fixed number of attempts, also when all come at once", async () => {
    const hash = randomBytes(32);
    await tokens.put(hash, "second-factor", content, 60);
    const tries = await Promise.all(Array.from({ length: 9 }, () => tokens.countAttempt(hash, "second-factor", 5)));
    expect(tries.filter(Boolean)).toHaveLength(5);
  });

  it("is revoked with all others of its purpose", async () => {
    const [first, other] = [randomBytes(32), randomBytes(32)];
    await tokens.put(first, "first-login", content, 60);
    await tokens.put(other, "sign-up", content, 60);
    await tokens.revoke("first-login");
    expect(await tokens.peek(first, "first-login")).toBeUndefined();
    expect(await tokens.peek(other, "sign-up")).toBeDefined();
  });
});
