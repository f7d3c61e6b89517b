import { Secret } from "@trunkline/core/secret.ts";
import { describe, expect, it } from "vitest";
import { createWebhookSecret, signedHeaders } from "./deliver.ts";

const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY = '{"test": 2432232314}';
const NOW = 1_614_265_330_999;
const FIRST = new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
const SECOND = new Secret("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD");

describe("signedHeaders", () => {
  it("match the Standard Webhooks convention", () => {
    expect(signedHeaders([FIRST], ID, BODY, NOW)).toEqual({
      "webhook-id": ID,
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("contain a signature for every secret, newest first", () => {
    const both = signedHeaders([SECOND, FIRST], ID, BODY, NOW)["webhook-signature"];
    const [second, first] = both?.split(" ") ?? [];
    expect(first).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    expect(second).toBe(signedHeaders([SECOND], ID, BODY, NOW)["webhook-signature"]);
    expect(second).not.toBe(first);
  });

  it("use a new secret that no log can show", () => {
    const secrets = Array.from({ length: 100 }, createWebhookSecret);
    expect(new Set(secrets.map((secret) => secret.reveal())).size).toBe(100);
    for (const secret of secrets) {
      expect(secret.reveal()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(JSON.stringify([secret, String(secret)])).not.toContain("whsec_");
    }
  });
});
