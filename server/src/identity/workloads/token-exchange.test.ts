import { systemClock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type HostileIssuer, startHostileIssuer } from "../../../test/support/hostile-issuer.ts";
import { mintKeySecret } from "../keys/keyring.ts";
import { AttemptLimiter } from "../people/attempt-limiter.ts";
import { IssuerClient } from "../sso/issuer-fetch.ts";
import { TokenExchange } from "./token-exchange.ts";
import type { WorkloadTrust, WorkloadTrustStore } from "./workload-trust.ts";

let issuer: HostileIssuer;

beforeAll(async () => {
  issuer = await startHostileIssuer();
});
afterAll(() => issuer.stop());

function openExchange() {
  const trust: WorkloadTrust = {
    id: newId(),
    accountId: newId(),
    serviceAccountId: newId(),
    name: "x",
    issuer: issuer.issuer,
    audience: "trunkline",
    conditions: [{ claim: "sub", values: ["mallory"] }],
    lifetimeSeconds: 60,
    createdAt: new Date(0),
    lastUsedAt: undefined,
  };
  const store: Pick<WorkloadTrustStore, "findFor" | "addSecret"> = {
    findFor: async () => [trust],
    addSecret: async () => true,
  };
  const exchange = new TokenExchange({
    store,
    issuers: new IssuerClient(openForTest(), [issuer.issuer]),
    attemptLimiter: new AttemptLimiter({ count: async () => undefined }),
    clock: systemClock,
    mint: mintKeySecret,
  });
  return (token: string) => exchange.exchange(trust.serviceAccountId, token, { address: "127.0.0.1" });
}

describe("TokenExchange", () => {
  it("reads the issuer's keys again for a key that it does not know, half a minute after the last time", async () => {
    const exchange = openExchange();
    const old = await issuer.sign({});
    expect((await exchange(old)).subject).toBe("mallory");
    await issuer.rotateKeys();
    const fresh = await issuer.sign({});
    await expect(exchange(fresh)).rejects.toMatchObject({ type: "invalid_login" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    try {
      expect((await exchange(fresh)).expiresInSeconds).toBe(60);
      await expect(exchange(old)).rejects.toMatchObject({ type: "invalid_login" });
    } finally {
      vi.useRealTimers();
    }
  });

  it("refuses an issuer whose metadata names another", async () => {
    issuer.metadata = { issuer: "https://another.example" };
    const refused = openExchange()(await issuer.sign({}));
    await expect(refused).rejects.toMatchObject({ type: "invalid_login" });
    issuer.metadata = {};
  });
});
