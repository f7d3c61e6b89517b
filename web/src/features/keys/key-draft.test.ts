import { describe, expect, it } from "vitest";
import { draftOf as rulesDraftOf } from "../../shared/safety-draft.ts";
import {
  bodyOf,
  changesOf,
  draftOf,
  errorsOf,
  fieldOf,
  type Key,
  type KeyDraft,
  NEW_KEY,
  searchOf,
} from "./key-draft.ts";

const NOW = Date.parse("2026-03-08T12:00:00Z");
const NAMED: KeyDraft = { ...NEW_KEY, name: " Backend " };
const KEY: Key = {
  id: "01a1de92-7942-71a5-a7d1-d801a85c26a0",
  name: "Backend",
  scopes: ["inference"],
  hint: "tl_abc…wxyz",
  expires_at: "2027-01-01T00:00:00.000Z",
  requests_per_minute: 60,
  budget: { limit: 0.000000001, period: "day" },
  models: ["acme/large"],
  origins: null,
  ips: ["10.0.0.0/8"],
  cache: null,
  safety: null,
  data_rules: null,
  created_at: "2026-01-01T00:00:00.000Z",
  last_used_at: null,
  state: "active",
  requests: 0,
  spent: { period: 0, period_ends_at: null, total: 0 },
  made_by: null,
  old_secret_ends_at: null,
  revoked_at: null,
};

describe("a new key", () => {
  it("may answer and read, without limits, once it has a name", () => {
    expect(errorsOf(NEW_KEY, NOW)).toEqual({ name: expect.any(String) });
    expect(errorsOf(NAMED, NOW)).toEqual({});
    expect(bodyOf(NAMED, NOW)).toEqual({
      name: "Backend",
      scopes: ["inference", "read"],
      expires_at: null,
      requests_per_minute: null,
      budget: null,
      models: null,
      ips: null,
      origins: null,
      safety: null,
    });
  });

  it("ends after days, or at the end of a day", () => {
    expect(bodyOf({ ...NAMED, expiry: "30" }, NOW).expires_at).toBe("2026-04-07T12:00:00.000Z");
    const end = bodyOf({ ...NAMED, expiry: "date", date: "2026-03-09" }, NOW).expires_at;
    expect(new Date(end ?? "").getTime()).toBe(new Date("2026-03-09T23:59:59.999").getTime());
  });
});

describe("a key's safety", () => {
  it("is the organisation's, or rules of its own, whatever they say", () => {
    expect(draftOf(KEY).safety).toBeUndefined();
    const marks = { report_at: 0.4, redact_at: null, refuse_at: 0.9 };
    const safety = { dry_run: true, categories: { hate: marks, pii: "redact" }, preset: "strict" } as const;
    const own = { ...KEY, safety };
    expect(changesOf(own, draftOf(own), NOW)).toEqual({});
    expect(changesOf(own, { ...draftOf(own), safety: undefined }, NOW)).toEqual({ safety: null });
    const looser = { ...rulesDraftOf(safety), preset: "off", dryRun: "inherit" } as const;
    expect(changesOf(own, { ...draftOf(own), safety: looser }, NOW)).toEqual({
      safety: { preset: "off", categories: safety.categories },
    });
  });

  it("is none where the rules say nothing, and wrong where they are", () => {
    expect(bodyOf({ ...NAMED, safety: rulesDraftOf(null) }, NOW).safety).toBeNull();
    const choices = { hate: { report: 0.9, redact: undefined, refuse: 0.1 } };
    const wrong = { ...NAMED, safety: { ...rulesDraftOf(null), choices } };
    expect(errorsOf(wrong, NOW)).toEqual({ safety: expect.any(String) });
  });
});

describe("what is typed", () => {
  it.each<[keyof KeyDraft, string]>([
    ["requestsPerMinute", "0"],
    ["requestsPerMinute", "1.5"],
    ["requestsPerMinute", "10000001"],
    ["budgetLimit", "-1"],
    ["budgetLimit", "0.0000000001"],
    ["budgetLimit", "1000000001"],
    ["budgetLimit", "ten"],
    ["ips", "10.0.0.300"],
    ["ips", "10.0.0.0/8, localhost"],
    ["origins", "example.com"],
    ["name", "x".repeat(129)],
  ])("is refused at its field: %s %s", (field, text) => {
    expect(Object.keys(errorsOf({ ...NAMED, [field]: text }, NOW))).toEqual([field]);
  });

  it.each(["", "2026-03-07", "2026-13-01"])("must be a day that is not over: %j", (date) => {
    expect(errorsOf({ ...NAMED, expiry: "date", date }, NOW)).toEqual({ date: expect.any(String) });
  });

  it("is sent exactly, whichever way it was written", () => {
    const body = bodyOf(
      {
        ...NAMED,
        budgetLimit: "0,000000001",
        requestsPerMinute: " 60 ",
        ips: "10.0.0.0/8,\n::1  10.0.0.0/8",
        origins: "https://a.example *",
      },
      NOW,
    );
    expect(body).toMatchObject({
      budget: { limit: 1e-9, period: "month" },
      requests_per_minute: 60,
      ips: ["10.0.0.0/8", "::1"],
      origins: ["https://a.example", "*"],
    });
  });

  it("names a field that the server found fault with", () => {
    expect(fieldOf("budget.limit")).toBe("budgetLimit");
    expect(fieldOf("ips[0]")).toBe("ips");
    expect(fieldOf("constructor")).toBeUndefined();
    expect(fieldOf(undefined)).toBeUndefined();
  });
});

describe("a key that is changed", () => {
  it("is sent as nothing where nothing is different", () => {
    expect(draftOf(KEY).budgetLimit).toBe("0.000000001");
    expect(changesOf(KEY, draftOf(KEY), NOW)).toEqual({});
  });

  it("is sent as what is different, and null lifts a limit", () => {
    const draft: KeyDraft = { ...draftOf(KEY), budgetLimit: "", expiry: "never", models: [], name: "New" };
    expect(changesOf(KEY, draft, NOW)).toEqual({ name: "New", budget: null, expires_at: null, models: null });
  });
});

describe("a search", () => {
  it("never carries a whole key, only its hint", () => {
    const secret = `tl_${"aB3".repeat(12)}wxyz`;
    expect(searchOf(` ${secret} `)).toBe("tl_aB3…wxyz");
    expect(searchOf("backend")).toBe("backend");
    expect(searchOf("  ")).toBeUndefined();
  });
});
