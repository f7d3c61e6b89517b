import { SCOPES } from "@trunkline/core/caller.ts";
import { ALL_PERMISSIONS, isReadOnly, PERMISSIONS } from "@trunkline/core/permissions.ts";
import { hashOfToken } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { faultOf, sampleCaller, samplePerson } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { hashOfKey, Keyring, newKeySecret } from "../keys/keyring.ts";
import { authenticate as authenticateBy, requirePermission } from "./authenticate.ts";

const KEY = newKeySecret();

/** Authenticates with an Authorization header, or with none. */
const authenticate = async (keyring: Keyring, authorization: string | undefined) =>
  authenticateBy(keyring, { findCaller: async () => undefined }, { authorization, session: undefined });

function keyringWith(...keys: string[]) {
  const lookups: string[] = [];
  const hashes = new Set(keys.map(hashOfKey));
  const store = {
    findById: async () => undefined,
    findByHash: async (hash: string) => {
      lookups.push(hash);
      return hashes.has(hash) ? { caller: sampleCaller(), expiresAt: undefined } : undefined;
    },
  };
  return { lookups, keyring: new Keyring(store, new ManualClock()) };
}

describe("the Authorization header", () => {
  it.each([
    `Bearer ${KEY}`,
    `bearer ${KEY}`,
    `BEARER ${KEY}`,
    `bEaReR ${KEY}`,
    `Bearer    ${KEY}`,
    `  Bearer ${KEY}  `,
    KEY,
    ` ${KEY} `,
  ])("accepts %j", async (header) => {
    expect(await authenticate(keyringWith(KEY).keyring, header)).toEqual(sampleCaller());
  });

  it.each([undefined, "", " ", "\t  "])("counts as missing when it is %j", async (header) => {
    await expect(authenticate(keyringWith(KEY).keyring, header)).rejects.toMatchObject({
      type: "missing_api_key",
      status: 401,
    });
  });

  it.each([
    "Bearer",
    `Bearer${KEY}`,
    `Bearer ${KEY} ${KEY}`,
    `Bearer ${KEY},`,
    `Bearer "${KEY}"`,
    `Basic ${Buffer.from(`user:${KEY}`).toString("base64")}`,
    `Basic ${KEY}`,
    `Token ${KEY}`,
    `Bearer Bearer ${KEY}`,
    `${KEY} Bearer`,
    "garbage",
    "😀",
    "Bearer 😀😀😀😀😀😀😀😀😀",
    "Bearer null",
    "Bearer undefined",
    "x".repeat(100_000),
    KEY.toLowerCase() === KEY ? KEY.toUpperCase() : KEY.toLowerCase(),
    KEY.slice(0, -1),
  ])("is invalid when it is %j", async (header) => {
    await expect(authenticate(keyringWith(KEY).keyring, header)).rejects.toMatchObject({
      type: "invalid_api_key",
      status: 401,
    });
  });

  it("with a mistyped key is refused without a lookup", async () => {
    const { lookups, keyring } = keyringWith(KEY);
    const last = KEY.at(-1) === "a" ? "b" : "a";
    await expect(authenticate(keyring, `Bearer ${KEY.slice(0, -1)}${last}`)).rejects.toMatchObject({
      type: "invalid_api_key",
    });
    await expect(authenticate(keyring, "Bearer way-too-odd!")).rejects.toMatchObject({
      type: "invalid_api_key",
    });
    expect(lookups).toEqual([]);
  });

  it("gives one answer for an unknown, a revoked and an expired key", async () => {
    const clock = new ManualClock();
    const expired = new Keyring(
      {
        findById: async () => undefined,
        findByHash: async () => ({ caller: sampleCaller(), expiresAt: clock.now() }),
      },
      clock,
    );
    const answers = await Promise.all(
      [expired, keyringWith().keyring].map((keyring) =>
        authenticate(keyring, `Bearer ${KEY}`).catch((error: unknown) => error),
      ),
    );
    expect(answers[0]).toMatchObject({ type: "invalid_api_key" });
    expect(String(answers[0])).toBe(String(answers[1]));
  });

  it("accepts the operator's own key even if it looks like a mistyped one of ours", async () => {
    const own = `tl_${"a".repeat(38)}`;
    const { keyring } = keyringWith(own);
    await expect(authenticate(keyring, own)).rejects.toMatchObject({ type: "invalid_api_key" });
    keyring.allowAnyFormat(hashOfKey(own));
    expect(await authenticate(keyring, own)).toEqual(sampleCaller());
  });

  it("passes on the fault of an unavailable store", async () => {
    const keyring = new Keyring(
      { findById: async () => undefined, findByHash: () => Promise.reject(new Error("away")) },
      new ManualClock(),
    );
    await expect(authenticate(keyring, KEY)).rejects.toThrow("away");
  });
});

describe("the cookie of a session", () => {
  const member = sampleCaller({ person: samplePerson() });
  const sessions = {
    findCaller: async (hash: Buffer) => (hash.equals(hashOfToken("token")) ? member : undefined),
  };
  const enter = (authorization: string | undefined, token: string, trusted = true) =>
    authenticateBy(keyringWith(KEY).keyring, sessions, { authorization, session: { token, trusted } });

  it("authenticates its person when there is no key", async () => {
    expect(await enter(undefined, "token")).toBe(member);
    expect(await enter(" ", "token")).toBe(member);
  });

  it("is ignored when there is a key, valid or not", async () => {
    expect(await enter(KEY, "token")).toEqual(sampleCaller());
    await expect(enter("Bearer no-such-key-anywhere", "token")).rejects.toMatchObject({
      type: "invalid_api_key",
    });
  });

  it("is refused when it is unknown or expired", async () => {
    await expect(enter(undefined, "another")).rejects.toMatchObject({ type: "invalid_session", status: 401 });
  });

  it("is refused before any lookup when a page of another site sends it", async () => {
    await expect(enter(undefined, "token", false)).rejects.toMatchObject({ type: "cross_site", status: 403 });
    await expect(enter(undefined, "another", false)).rejects.toMatchObject({ type: "cross_site" });
  });
});

describe("requirePermission", () => {
  it("grants a key exactly the permissions of its scopes", () => {
    for (const scope of SCOPES) {
      const caller = sampleCaller({ scopes: new Set([scope]) });
      for (const power of ALL_PERMISSIONS) {
        if (PERMISSIONS[power].scope === scope) requirePermission(caller, power, { address: "192.0.2.1" });
        else {
          const fault = faultOf(() => requirePermission(caller, power, { address: "192.0.2.1" }));
          expect(fault).toMatchObject({ type: "insufficient_scope", status: 403 });
          expect(fault.message).toContain(PERMISSIONS[power].scope ?? "dashboard");
        }
      }
    }
  });

  it("grants a member the permissions of the role, and names the roles that suffice", () => {
    const caller = sampleCaller({ person: samplePerson({ role: "viewer" }), scopes: new Set(SCOPES) });
    requirePermission(caller, "keys.read", { address: "192.0.2.1" });
    const fault = faultOf(() => requirePermission(caller, "keys.change", { address: "192.0.2.1" }));
    expect(fault).toMatchObject({ type: "insufficient_role", status: 403 });
    expect(fault.message).toContain("owner or admin or developer");
  });

  it("allows any caller when an operation needs no permission", () => {
    expect(() =>
      requirePermission(sampleCaller({ scopes: new Set() }), undefined, { address: "192.0.2.1" }),
    ).not.toThrow();
  });

  it("allows only reading in a suspended account", () => {
    const scopes = new Set(SCOPES);
    for (const power of ALL_PERMISSIONS) {
      const person = samplePerson({ role: "owner" });
      const suspended = sampleCaller({ scopes, person, operator: true, suspended: true });
      if (isReadOnly(power)) requirePermission(suspended, power, { address: "192.0.2.1" });
      else
        expect(faultOf(() => requirePermission(suspended, power, { address: "192.0.2.1" }))).toMatchObject({
          type: "account_suspended",
          status: 403,
        });
    }
  });
});

describe("a key's address ranges", () => {
  const caller = sampleCaller({ ips: ["10.0.0.0/8", "2001:db8::/32"] });

  it.each(["10.200.3.4", "::ffff:10.200.3.4", "2001:db8:ffff::1"])("allow %s", (address) => {
    expect(() => requirePermission(caller, "inference.use", { address })).not.toThrow();
  });

  it.each(["11.0.0.1", "::ffff:11.0.0.1", "2001:db9::1", "", "unknown"])("refuse %j", (address) => {
    expect(faultOf(() => requirePermission(caller, "inference.use", { address }))).toMatchObject({
      type: "insufficient_scope",
    });
  });

  it("apply even when no scope is needed", () => {
    expect(faultOf(() => requirePermission(caller, undefined, { address: "11.0.0.1" }))).toMatchObject({
      type: "insufficient_scope",
    });
  });

  it("allow any address when there are none", () => {
    expect(() => requirePermission(sampleCaller(), "inference.use", { address: "198.51.100.9" })).not.toThrow();
  });
});
