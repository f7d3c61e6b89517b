import { newId } from "@trunkline/core/id.ts";
import type { Settlement } from "../../src/ledger/billing/settlement.ts";

const RECEIVED_AT = new Date("2026-01-15T12:00:00Z");

/** A request that was answered for nothing, with what a test changes. What it costs was held, unless a test says otherwise. */
export function sampleSettlement(changes: Partial<Settlement> = {}): Settlement {
  return {
    requestId: newId((changes.createdAt ?? RECEIVED_AT).getTime()),
    accountId: "client-account",
    keyId: "key",
    createdAt: RECEIVED_AT,
    path: "/v1/generate",
    task: "text",
    model: "model",
    provider: "acme",
    status: 200,
    errorType: undefined,
    inputTokens: 10,
    outputTokens: 20,
    images: 0,
    usageSource: "provider",
    priceVersion: "1",
    held: changes.cost ?? 0n,
    cost: 0n,
    budget: undefined,
    latencyMs: 12.5,
    detail: {},
    idempotent: undefined,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    audioMs: 0,
    discount: 0,
    legs: [],
    ...changes,
  };
}
