import { describe, expect, it } from "vitest";
import type { ApiKeyWithUsage } from "../../identity/keys/api-keys.ts";
import {
  apiKeyResponseSchema,
  createApiKeySchema,
  rotateSecretSchema,
  toApiKeyChange,
  toApiKeyResponse,
  toApiKeySettings,
  updateApiKeySchema,
} from "./api-key.ts";

const DRAFT = { name: "Key", scopes: ["inference"] };
const FULL = {
  name: "  Full  ",
  scopes: ["inference", "read"],
  expires_at: "2030-01-02T03:04:05+02:00",
  requests_per_minute: 5,
  budget: { limit: 0.000_000_001, period: "week" },
  models: ["acme/x"],
  ips: ["10.0.0.0/8", "2001:db8::1"],
};

describe("createApiKeySchema", () => {
  it("becomes a key's settings", () => {
    expect(toApiKeySettings(createApiKeySchema.parse(DRAFT))).toEqual({
      name: "Key",
      scopes: ["inference"],
      expiresAt: undefined,
      requestsPerMinute: undefined,
      budget: undefined,
      models: undefined,
      ips: undefined,
    });
    expect(toApiKeySettings(createApiKeySchema.parse(FULL))).toEqual({
      name: "Full",
      scopes: ["inference", "read"],
      expiresAt: new Date("2030-01-02T01:04:05Z"),
      requestsPerMinute: 5,
      budget: { limit: 1n, period: "week" },
      models: ["acme/x"],
      ips: ["10.0.0.0/8", "2001:db8::1"],
    });
  });

  it("accepts null for every optional field", () => {
    const nothing = { expires_at: null, requests_per_minute: null, budget: null, models: null, ips: null };
    expect(toApiKeySettings(createApiKeySchema.parse({ ...DRAFT, ...nothing }))).toEqual(
      toApiKeySettings(createApiKeySchema.parse(DRAFT)),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ["no name", { name: undefined }],
    ["an empty name", { name: "   " }],
    ["a name that is too long", { name: "n".repeat(129) }],
    ["a name with control characters", { name: "a\u0007b" }],
    ["no scopes", { scopes: [] }],
    ["an unknown scope", { scopes: ["root"] }],
    ["a date without a time", { expires_at: "2030-01-02" }],
    ["a time without an offset", { expires_at: "2030-01-02T03:04:05" }],
    ["no requests a minute", { requests_per_minute: 0 }],
    ["a fraction of a request", { requests_per_minute: 1.5 }],
    ["a negative budget", { budget: { limit: -1, period: "day" } }],
    ["a budget finer than a nano-credit", { budget: { limit: 0.000_000_000_1, period: "day" } }],
    ["a budget beyond what the ledger can store", { budget: { limit: 1e10, period: "day" } }],
    ["a budget for an odd period", { budget: { limit: 1, period: "year" } }],
    ["a budget without a period", { budget: { limit: 1 } }],
    ["an empty list of models", { models: [] }],
    ["a model's name that the store can't hold", { models: ["a\u0000b"] }],
    ["an invalid address", { ips: ["example.com"] }],
    ["an invalid range", { ips: ["10.0.0.0/33"] }],
  ])("refuses %s", (_what, change) => {
    expect(createApiKeySchema.safeParse({ ...DRAFT, ...change }).success).toBe(false);
  });
});

describe("toApiKeyChange", () => {
  it("contains only the given fields, and lifts limits that are null", () => {
    expect(toApiKeyChange(updateApiKeySchema.parse({}))).toEqual({});
    expect(
      toApiKeyChange(updateApiKeySchema.parse({ name: "New", models: null, budget: null, expires_at: null })),
    ).toEqual({
      name: "New",
      models: undefined,
      budget: undefined,
      expiresAt: undefined,
    });
    expect(Object.keys(toApiKeyChange(updateApiKeySchema.parse({ ips: null })))).toEqual(["ips"]);
  });
});

describe("rotateSecretSchema", () => {
  it("allows a grace period of 0 to 30 days", () => {
    expect(rotateSecretSchema.safeParse({}).success).toBe(true);
    expect(rotateSecretSchema.safeParse({ grace_seconds: 0 }).success).toBe(true);
    expect(rotateSecretSchema.safeParse({ grace_seconds: 2_592_000 }).success).toBe(true);
    for (const grace_seconds of [-1, 2_592_001, 0.5, "60"])
      expect(rotateSecretSchema.safeParse({ grace_seconds }).success).toBe(false);
  });
});

describe("toApiKeyResponse", () => {
  const key: ApiKeyWithUsage = {
    ...toApiKeySettings(createApiKeySchema.parse(FULL)),
    serviceAccount: false,
    id: "k1",
    accountId: "a1",
    hint: "tl_abc…wxyz",
    createdAt: new Date(0),
    lastUsedAt: undefined,
    madeBy: { id: "p1", name: "Ada" },
    oldSecretEndsAt: undefined,
    revokedAt: undefined,
    timeZone: "UTC",
    state: "active",
    requests: 3n,
    spent: 12_000_000_001n,
    spentInPeriod: 1n,
    periodEndsAt: new Date(604_800_000),
  };

  it("matches its schema, with null for missing values", () => {
    expect(toApiKeyResponse(key)).toEqual({
      id: "k1",
      name: "Full",
      scopes: ["inference", "read"],
      hint: "tl_abc…wxyz",
      expires_at: "2030-01-02T01:04:05.000Z",
      requests_per_minute: 5,
      budget: { limit: 1e-9, period: "week" },
      cache: null,
      data_rules: null,
      safety: null,
      models: ["acme/x"],
      ips: ["10.0.0.0/8", "2001:db8::1"],
      origins: null,
      created_at: "1970-01-01T00:00:00.000Z",
      last_used_at: null,
      state: "active",
      requests: 3,
      spent: { period: 1e-9, period_ends_at: "1970-01-08T00:00:00.000Z", total: 12.000000001 },
      made_by: { id: "p1", name: "Ada" },
      old_secret_ends_at: null,
      revoked_at: null,
    });
    expect(apiKeyResponseSchema.safeParse(toApiKeyResponse(key)).success).toBe(true);
  });
});
