import { createVerify, generateKeyPairSync } from "node:crypto";
import { Secret } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { afterEach, describe, expect, it } from "vitest";
import {
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from "../../../../server/test/support/scripted-upstream.ts";
import { createDialer } from "../dialer/dialer.ts";
import { forgetToken, sentCredentialOf } from "./access-tokens.ts";
import { AccessToken, type CloudCredential, readCloudCredential } from "./cloud-credential.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function setUp(script: (request: UpstreamRequest) => UpstreamAnswer) {
  const identity: Upstream = await startUpstream(script);
  const dialer = createDialer();
  open.push(identity, dialer);
  const clock = new ManualClock();
  const get = async (cloud: CloudCredential) =>
    (await sentCredentialOf(cloud, { dialer, clock, isOperators: true })).reveal();
  return { identity, clock, get, dialer };
}

function credential(fields: object): CloudCredential {
  const cloud = readCloudCredential(JSON.stringify(fields));
  return typeof cloud === "string" ? expect.fail(cloud) : cloud;
}
const serviceAccount = (url: string) =>
  credential({
    type: "service_account",
    project_id: "p1",
    private_key_id: "key-1",
    private_key: privateKey,
    client_email: "gateway@p1.iam.gserviceaccount.com",
    token_uri: `${url}/token`,
  });
const entra = (url: string) =>
  credential({ tenant_id: "t1", client_id: "c1", client_secret: "s&1", authority_host: url });
const granted = (token: string, seconds = 3_600): UpstreamAnswer => ({
  body: JSON.stringify({ access_token: token, expires_in: seconds, token_type: "Bearer" }),
});

describe("an access token", () => {
  it("of a service account is requested with a signed assertion", async () => {
    const { identity, get, clock } = await setUp(() => granted("ya29.one"));
    expect(await get(serviceAccount(identity.url))).toBe("ya29.one");
    const form = new URLSearchParams(identity.requests[0]?.body.toString("utf8"));
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [head = "", claims = "", signature = ""] = form.get("assertion")?.split(".") ?? [];
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    expect(read(head)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    const now = Math.floor(clock.now() / 1_000);
    expect(read(claims)).toEqual({
      iss: "gateway@p1.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: `${identity.url}/token`,
      iat: now,
      exp: now + 3_600,
    });
    const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`);
    expect(verify.verify(publicKey, Buffer.from(signature, "base64url"))).toBe(true);
  });

  it("of an application is requested with its secret", async () => {
    const { identity, get } = await setUp(() => granted("eyJ.one"));
    expect(await get(entra(identity.url))).toBe("eyJ.one");
    expect(identity.requests[0]?.path).toBe("/t1/oauth2/v2.0/token");
    expect(Object.fromEntries(new URLSearchParams(identity.requests[0]?.body.toString("utf8")))).toEqual({
      grant_type: "client_credentials",
      client_id: "c1",
      client_secret: "s&1",
      scope: "https://cognitiveservices.azure.com/.default",
    });
  });

  it("is requested once for all calls, kept, renewed before its end, and requested again after it", async () => {
    let count = 0;
    const { identity, get, clock } = await setUp(() => granted(`token-${++count}`));
    const cloud = entra(identity.url);
    expect(await Promise.all([get(cloud), get(cloud), get(cloud)])).toEqual(["token-1", "token-1", "token-1"]);
    clock.advance(3_200_000);
    expect(await get(cloud)).toBe("token-1");
    clock.advance(150_000);
    // This one is still good, and another one is on its way.
    expect(await get(cloud)).toBe("token-1");
    await expect.poll(() => get(cloud)).toBe("token-2");
    clock.advance(3_590_000);
    expect(await get(cloud)).toBe("token-3");
    expect(identity.requests).toHaveLength(3);
  });

  it("that was refused is forgotten", async () => {
    let count = 0;
    const { identity, get } = await setUp(() => granted(`token-${++count}`));
    const cloud = entra(identity.url);
    expect(await get(cloud)).toBe("token-1");
    expect(forgetToken(cloud, new AccessToken("another"))).toBe(true);
    expect(await get(cloud)).toBe("token-1");
    expect(forgetToken(cloud, new Secret("a key"))).toBe(false);
  });

  it.each([
    [
      "refuses",
      { status: 400, body: '{"error":"invalid_grant","error_description":"secret"}' },
      "refused",
      "invalid_grant",
    ],
    ["refuses without a word", { status: 401, body: "" }, "refused", "refused our credential"],
    ["gets too many requests", { status: 429, body: "{}" }, "rate-limited", "too many"],
    ["fails", { status: 503, body: "oops" }, "broken", "503"],
    ["gives no token", { body: "{}" }, "broken", "200"],
    ["gives a token that breaks a header", { body: '{"access_token":"a\\r\\nb"}' }, "broken", "200"],
  ])("is missing where the identity service %s", async (_, answer, kind, said) => {
    const { identity, get } = await setUp(() => answer);
    const failure = await get(entra(identity.url)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind, reason: expect.stringContaining(said) });
    expect(String(failure)).not.toContain("secret");
  });

  it("is requested again after a failure", async () => {
    const { identity, get } = await setUp(() => ({ status: 500, body: "" }));
    const cloud = entra(identity.url);
    await expect(get(cloud)).rejects.toThrow("500");
    identity.answer(() => granted("better"));
    expect(await get(cloud)).toBe("better");
  });

  it("is not requested from an unknown address for an account that is not the operator's", async () => {
    const { identity, dialer } = await setUp(() => granted("no"));
    const asked = sentCredentialOf(entra(identity.url), { dialer, isOperators: false });
    await expect(asked).rejects.toThrow("unknown identity service");
    expect(identity.requests).toHaveLength(0);
  });

  it("is not made with a private key that is none", async () => {
    const { identity, get } = await setUp(() => granted("no"));
    const broken = credential({
      type: "service_account",
      client_email: "a@b",
      private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      token_uri: identity.url,
    });
    await expect(get(broken)).rejects.toMatchObject({ kind: "refused", outage: "credential" });
  });
});
