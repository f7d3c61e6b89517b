import { describe, expect, it } from "vitest";
import { HeldClock } from "../../test/held-clock.ts";
import { faultOf, sampleCaller } from "../../test/samples.ts";
import { SCOPES } from "../domain/caller.ts";
import { authenticate, requireScope } from "./authenticate.ts";
import { hashOfKey, newKeySecret } from "./key-format.ts";
import { Keyring } from "./keyring.ts";

const KEY = newKeySecret();

function ringWith(...keys: string[]) {
  const asked: string[] = [];
  const hashes = new Set(keys.map(hashOfKey));
  const store = {
    findByHash: async (hash: string) => {
      asked.push(hash);
      return hashes.has(hash) ? { caller: sampleCaller(), expiresAt: undefined } : undefined;
    },
  };
  return { asked, keyring: new Keyring(store, new HeldClock()) };
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
  ])("lets in %j", async (header) => {
    expect(await authenticate(ringWith(KEY).keyring, header)).toEqual(sampleCaller());
  });

  it.each([undefined, "", " ", "\t  "])("is missing when it is %j", async (header) => {
    await expect(authenticate(ringWith(KEY).keyring, header)).rejects.toMatchObject({
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
  ])("is wrong when it is %j", async (header) => {
    await expect(authenticate(ringWith(KEY).keyring, header)).rejects.toMatchObject({
      type: "invalid_api_key",
      status: 401,
    });
  });

  it("with a mistyped key is refused without a look-up", async () => {
    const { asked, keyring } = ringWith(KEY);
    const last = KEY.at(-1) === "a" ? "b" : "a";
    await expect(authenticate(keyring, `Bearer ${KEY.slice(0, -1)}${last}`)).rejects.toMatchObject({
      type: "invalid_api_key",
    });
    await expect(authenticate(keyring, "Bearer way-too-odd!")).rejects.toMatchObject({
      type: "invalid_api_key",
    });
    expect(asked).toEqual([]);
  });

  it("tells a stranger the same of an unknown, a revoked and an expired key", async () => {
    const clock = new HeldClock();
    const expired = new Keyring(
      { findByHash: async () => ({ caller: sampleCaller(), expiresAt: clock.now() }) },
      clock,
    );
    const answers = await Promise.all(
      [expired, ringWith().keyring].map((keyring) =>
        authenticate(keyring, `Bearer ${KEY}`).catch((error: unknown) => error),
      ),
    );
    expect(answers[0]).toMatchObject({ type: "invalid_api_key" });
    expect(String(answers[0])).toBe(String(answers[1]));
  });

  it("lets in the operator's own key even where it looks like a mistyped one of ours", async () => {
    const own = `tl_${"a".repeat(38)}`;
    const { keyring } = ringWith(own);
    await expect(authenticate(keyring, own)).rejects.toMatchObject({ type: "invalid_api_key" });
    keyring.exempt(hashOfKey(own));
    expect(await authenticate(keyring, own)).toEqual(sampleCaller());
  });

  it("passes on the trouble of a store that is away, which is not the key's fault", async () => {
    const keyring = new Keyring({ findByHash: () => Promise.reject(new Error("away")) }, new HeldClock());
    await expect(authenticate(keyring, KEY)).rejects.toThrow("away");
  });
});

describe("a scope", () => {
  it("is had or lacked, each for itself", () => {
    for (const scope of SCOPES) {
      const caller = sampleCaller({ scopes: new Set([scope]) });
      for (const wanted of SCOPES) {
        if (wanted === scope) requireScope(caller, wanted, "192.0.2.1");
        else {
          const fault = faultOf(() => requireScope(caller, wanted, "192.0.2.1"));
          expect(fault).toMatchObject({ type: "insufficient_scope", status: 403 });
          expect(fault.message).toContain(wanted);
        }
      }
    }
  });

  it("is not needed where an operation asks for none", () => {
    expect(() => requireScope(sampleCaller({ scopes: new Set() }), undefined, "192.0.2.1")).not.toThrow();
  });
});

describe("a key's address ranges", () => {
  const caller = sampleCaller({ ips: ["10.0.0.0/8", "2001:db8::/32"] });

  it.each(["10.200.3.4", "::ffff:10.200.3.4", "2001:db8:ffff::1"])("let in %s", (address) => {
    expect(() => requireScope(caller, "inference", address)).not.toThrow();
  });

  it.each(["11.0.0.1", "::ffff:11.0.0.1", "2001:db9::1", "", "unknown"])("keep out %j", (address) => {
    expect(faultOf(() => requireScope(caller, "inference", address))).toMatchObject({
      type: "insufficient_scope",
    });
  });

  it("hold even where no scope is asked for", () => {
    expect(faultOf(() => requireScope(caller, undefined, "11.0.0.1"))).toMatchObject({
      type: "insufficient_scope",
    });
  });

  it("let anyone in where there are none", () => {
    expect(() => requireScope(sampleCaller(), "inference", "198.51.100.9")).not.toThrow();
  });
});
