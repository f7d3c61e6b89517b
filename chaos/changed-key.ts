import { randomUUID } from "node:crypto";
import type { Dice } from "./dice.ts";
import { type Ending, exchange } from "./exchange.ts";
import type { Instance } from "./instance.ts";
import type { Customer, Testbed } from "./testbed.ts";

/** What can be done to a key that must be known everywhere at once. */
export const KINDS_OF_CHANGE = ["revoked", "lowered budget", "raised budget", "changed limit"] as const;
export type KindOfChange = (typeof KINDS_OF_CHANGE)[number];

/** A key to which something was done, and how to see on an instance whether it knows. */
export interface ChangedKey {
  readonly kind: KindOfChange;
  /** When the change was confirmed. */
  readonly changedAt: number;
  look(
    testbed: Testbed,
    target: Instance & { readonly url: string },
  ): Promise<{ readonly seen: string; readonly isRight: boolean }>;
}

const CREDITS = 1_000;
const LIMITS = [70, 700, 7_000, 70_000] as const;
/** Above any request's worst case, and below it. */
const ENOUGH = 900;
const TOO_LITTLE = 0.000001;
const TIMES_USED = 3;

/** Makes a key, has every instance use it so that each has a copy, and changes it by way of one of them. */
export async function makeChange(testbed: Testbed, kind: KindOfChange, dice: Dice): Promise<ChangedKey> {
  const limit = dice.pick(LIMITS);
  const at = testbed.up[dice.whole(0, testbed.up.length - 1)];
  const budget = kind === "raised budget" ? TOO_LITTLE : ENOUGH;
  const customer = await testbed.openCustomer(CREDITS, { budget: { limit: budget, period: "total" } });
  const path = `/v1/keys/${customer.keyId}`;
  // Another key changes it, made before anyone has a copy of this one: a new key makes all forget what they know.
  const { key } = await testbed.ask<{ key: string }>("POST", `/v1/admin/accounts/${customer.id}/keys`, {
    name: "Manager",
    scopes: ["inference", "read", "manage"],
  });
  for (let time = 0; time < TIMES_USED; time++) for (const target of testbed.up) await use(testbed, customer, target);
  if (kind === "revoked") await testbed.ask("DELETE", path, undefined, key, at);
  else if (kind === "changed limit") await testbed.ask("PATCH", path, { requests_per_minute: limit }, key, at);
  else {
    const changed = kind === "raised budget" ? ENOUGH : TOO_LITTLE;
    await testbed.ask("PATCH", path, { budget: { limit: changed, period: "total" } }, key, at);
  }
  return {
    kind,
    changedAt: performance.now(),
    async look(where, target) {
      const { kind: end, status, headers } = await use(where, customer, target);
      const policy = String(headers["ratelimit-policy"]);
      const seen = end === "answered" ? `${status}` : end;
      if (kind === "revoked") return { seen: `${kind}: ${seen}`, isRight: status === 401 };
      if (kind === "lowered budget") return { seen: `${kind}: ${seen}`, isRight: status === 402 };
      if (kind === "raised budget") return { seen: `${kind}: ${seen}`, isRight: status === 200 };
      const isRight = (status === 200 || status === 429) && policy.includes(`q=${limit};`);
      return { seen: `${kind}: ${seen}`, isRight };
    },
  };
}

function use(testbed: Testbed, { key }: Customer, target: { readonly url: string }): Promise<Ending> {
  const parameters = { max_tokens: 20, ticket: randomUUID(), words: 1, pause_ms: 0, usage: true };
  const body = { task: "chat", input: "A word, please.", model: "steady", parameters };
  return exchange(testbed.agent, { url: target.url, method: "POST", path: "/v1/ai/request", key, body });
}
