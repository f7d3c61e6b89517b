import { createHmac } from "node:crypto";
import { exportSPKI } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import { changeRows } from "../support/change-rows.ts";
import { type HostileIssuer, startHostileIssuer } from "../support/hostile-issuer.ts";
import { followToCallback } from "../support/identity-provider.ts";
import { finishSso, logInBySso, openSsoOrganisation, type SsoOrganisation } from "../support/sso-organisation.ts";
import type { StartedService } from "../support/started-service.ts";

let hostile: HostileIssuer;
let other: HostileIssuer;
let service: StartedService;
let organisation: SsoOrganisation;

beforeAll(async () => {
  [hostile, other] = await Promise.all([startHostileIssuer(), startHostileIssuer()]);
  const privateIssuers = [hostile.issuer, other.issuer];
  service = await startBrowserService((config) => ({ ...config, privateIssuers }));
  organisation = await openSsoOrganisation(service, hostile);
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([hostile?.stop(), other?.stop()]);
});

let subjects = 0;

beforeEach(() => {
  subjects += 1;
  const claims = { sub: `mallory-${subjects}`, email: `mallory-${subjects}@${organisation.domain}`, groups: [] };
  hostile.metadata = {};
  hostile.idToken = (nonce) => hostile.sign({ ...claims, nonce });
});

const target = () => ({ organisation: organisation.name });

async function begin(body: Readonly<Record<string, unknown>> = target()) {
  const browser = openBrowser(service);
  const { json } = await browser.post("/v1/auth/sso", body);
  return { browser, callback: await followToCallback(json.url) };
}

describe("the identity provider of one organisation", () => {
  /** A person with an organisation of their own, who is a member of the provider's, too. */
  async function openMemberOfBoth() {
    const { browser, email } = await signUp(service, `both-${subjects}@${organisation.domain}`);
    const { json: own } = await browser.call("GET", "/v1/session");
    hostile.idToken = (nonce) => hostile.sign({ nonce, sub: `both-${subjects}`, email });
    const { browser: bySso, answer } = await logInBySso(service, { email });
    expect(answer.json.confirm).toBeNull();
    return { browser, bySso, email, own };
  }

  it("reaches no other organisation of its members, and does not learn of any", async () => {
    const { bySso, own } = await openMemberOfBoth();
    const { json } = await bySso.call("GET", "/v1/session");
    expect(json.person.id).toBe(own.person.id);
    expect(json.accounts.map(({ id }: { id: string }) => id)).toEqual([organisation.accountId]);
    expect((await bySso.post("/v1/session/account", { account_id: own.account.id })).status).toBe(404);
  });

  it("can't give itself another way in", async () => {
    const { browser, bySso, email } = await openMemberOfBoth();
    const changes: readonly (readonly [string, string, unknown])[] = [
      ["PATCH", "/v1/me", { email: "mallory@elsewhere.example" }],
      ["POST", "/v1/me/password", { password: "lantern quartz ribbon fog" }],
      ["POST", "/v1/me/passkeys/options", {}],
      ["POST", "/v1/me/totp", {}],
      ["GET", "/v1/me/sessions", undefined],
      ["GET", "/v1/me/passkeys", undefined],
      ["DELETE", "/v1/me/sessions", undefined],
      ["POST", "/v1/organisations", { name: "Mine" }],
      ["POST", "/v1/auth/accept-invitation", { token: "x".repeat(43) }],
    ];
    for (const [method, path, body] of changes) {
      const answer = await bySso.call(method, path, body);
      expect(answer.status, `${method} ${path} ${answer.text}`).toBe(403);
      expect(answer.json.error.type).toBe("insufficient_role");
    }
    // The person's own session can.
    expect((await browser.call("GET", "/v1/me/sessions")).status).toBe(200);
    expect((await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD })).status).toBe(200);
  });

  it("can't log in as a person whose address is not of its domains", async () => {
    const { browser: victim, email } = await signUp(service);
    hostile.idToken = (nonce) => hostile.sign({ nonce, sub: "x", email, email_verified: true });
    const { browser, answer } = await logInBySso(service, target());
    expect(answer.json.confirm).toBe(email);
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
    const { json } = await victim.call("GET", "/v1/session");
    expect(json.accounts).toHaveLength(1);
  });

  it("is not believed where it says that the address is not verified", async () => {
    const email = `unsure-${subjects}@${organisation.domain}`;
    hostile.idToken = (nonce) => hostile.sign({ nonce, sub: email, email, email_verified: false });
    expect((await logInBySso(service, target())).answer.json.confirm).toBe(email);
  });

  it("does not speak for the subjects of another organisation that uses the same issuer", async () => {
    const neighbour = await openSsoOrganisation(service, hostile);
    const email = `worker-${subjects}@${organisation.domain}`;
    hostile.idToken = (nonce) => hostile.sign({ nonce, sub: `worker-${subjects}`, email });
    expect((await logInBySso(service, target())).answer.json.confirm).toBeNull();
    expect((await logInBySso(service, { organisation: neighbour.name })).answer.json.confirm).toBe(email);
  });

  it("ends what was set up under an address before it was proven", async () => {
    const { browser: attacker, email } = await signUp(service, `early-${subjects}@${organisation.domain}`);
    await changeRows(service, "UPDATE people SET email_verified_at = NULL WHERE email = $1", [email]);
    hostile.idToken = (nonce) => hostile.sign({ nonce, sub: email, email });
    const { browser } = await logInBySso(service, { email });
    expect((await browser.call("GET", "/v1/session")).json.person).toMatchObject({ email, has_password: false });
    expect((await attacker.call("GET", "/v1/session")).status).toBe(401);
    expect((await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD })).status).toBe(401);
  });
});

describe("a callback", () => {
  it("works once, and in the browser that began", async () => {
    const { browser, callback } = await begin();
    const stolen = await finishSso(openBrowser(service), callback);
    expect(stolen.status).toBe(401);
    // The attempt has used it up.
    expect((await finishSso(browser, callback)).status).toBe(401);
    const second = await begin();
    expect((await finishSso(second.browser, second.callback)).status).toBe(200);
    expect((await finishSso(second.browser, second.callback)).status).toBe(401);
  });

  it("of one provider is not taken for that of another, and its code goes to neither", async () => {
    const honest = await openSsoOrganisation(service, other);
    const { browser, callback } = await begin();
    const sent = [hostile.received.length, other.received.length];
    const mixed = new URL(callback);
    mixed.pathname = `/sso/callback/${honest.providerId}`;
    expect((await finishSso(browser, mixed)).status).toBe(401);
    expect([hostile.received.length, other.received.length]).toEqual(sent);
  });

  it("is refused with the issuer parameter of another provider, or without a state", async () => {
    hostile.metadata = { authorization_response_iss_parameter_supported: true };
    const { browser, callback } = await begin();
    callback.searchParams.set("iss", other.issuer);
    expect((await finishSso(browser, callback)).status).toBe(401);
    expect((await browser.post("/v1/auth/sso/callback", { provider_id: "x", query: "code=1" })).status).toBe(401);
    const refused = await begin();
    refused.callback.searchParams.delete("code");
    refused.callback.searchParams.set("error", "access_denied");
    expect((await finishSso(refused.browser, refused.callback)).json.error.type).toBe("invalid_login");
  });

  it("sends the proof of PKCE with the code", async () => {
    const { browser, callback } = await begin();
    expect((await finishSso(browser, callback)).status).toBe(200);
    expect(hostile.received.at(-1)?.get("code_verifier")).toMatch(/^[\w-]{43,}$/);
    expect(hostile.received.at(-1)?.get("redirect_uri")).toBe(callback.origin + callback.pathname);
  });

  it.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "evil",
    "/a\nb",
    "/a/..//evil.example",
  ])("leads to no other site: %j", async (returnTo) => {
    const answer = await openBrowser(service).post("/v1/auth/sso", { ...target(), return_to: returnTo });
    expect(answer.status).toBe(400);
    expect(answer.json.error.param).toBe("return_to");
  });
});

describe("an ID token", () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const payload = (nonce: string) => ({
    iss: hostile.issuer,
    aud: "trunkline",
    sub: "forged",
    email: `forged@${organisation.domain}`,
    nonce,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 300,
  });

  it.each<readonly [string, (nonce: string) => Promise<string>]>([
    ["of another log-in", () => hostile.sign({ nonce: "another" })],
    ["without a nonce", () => hostile.sign({})],
    ["for another client", (nonce) => hostile.sign({ nonce, aud: "another" })],
    ["of another issuer", (nonce) => hostile.sign({ nonce, iss: other.issuer })],
    ["that has expired", (nonce) => hostile.sign({ nonce }, {}, "1 hour ago")],
    ["signed by another's key", (nonce) => other.sign({ ...payload(nonce) })],
    ["without a signature", async (nonce) => `${part({ alg: "none" })}.${part(payload(nonce))}.`],
    [
      "signed with the public key as a shared secret",
      async (nonce) => {
        const text = `${part({ alg: "HS256", kid: "k1" })}.${part(payload(nonce))}`;
        const secret = await exportSPKI(hostile.publicKey());
        return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
      },
    ],
    [
      "with a key of its own in the header",
      (nonce) => other.sign({ ...payload(nonce) }, { jku: `${other.issuer}/jwks`, kid: "k1" }),
    ],
  ])("%s logs no one in", async (_words, idToken) => {
    hostile.idToken = idToken;
    const { browser, callback } = await begin();
    const answer = await finishSso(browser, callback);
    expect(answer.status, answer.text).toBe(401);
    expect(answer.json.error.type).toBe("invalid_login");
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
  });

  it("of a key that was replaced is refused, one of the new key is taken at once", async () => {
    const before = hostile.idToken;
    hostile.idToken = async (nonce) => {
      const old = await before(nonce);
      await hostile.rotateKeys();
      return old;
    };
    const first = await begin();
    expect((await finishSso(first.browser, first.callback)).status).toBe(401);
    hostile.idToken = before;
    const second = await begin();
    expect((await finishSso(second.browser, second.callback)).status).toBe(200);
  });
});

describe("an issuer's metadata", () => {
  it("must be its own", async () => {
    hostile.metadata = { issuer: other.issuer };
    const answer = await organisation.owner.call("PUT", "/v1/organisation/sso", {
      name: organisation.name,
      issuer: hostile.issuer,
      client_id: "trunkline",
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error.param).toBe("issuer");
  });
});
