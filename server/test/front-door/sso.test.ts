import { Authenticator } from "@trunkline/testing/authenticator.ts";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loggedToken, newAddress, openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import { changeRows } from "../support/change-rows.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../support/identity-provider.ts";
import { openMember } from "../support/member.ts";
import { logInBySso, openSsoOrganisation, type SsoOrganisation } from "../support/sso-organisation.ts";
import type { StartedService } from "../support/started-service.ts";
import { absentToken } from "../support/token-trial.ts";

let provider: TestIdentityProvider;
let service: StartedService;
let organisation: SsoOrganisation;

beforeAll(async () => {
  provider = await startIdentityProvider();
  // With the token, people can log in by a wallet.
  service = await startBrowserService((config) => ({
    ...config,
    privateIssuers: [provider.issuer],
    token: absentToken(),
  }));
  await service.services.token?.watcher.stop();
  organisation = await openSsoOrganisation(service, provider);
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});

let accounts = 0;

/** Someone at the identity provider, who is logged in there from now on. */
function enter(claims: Readonly<Record<string, unknown>> = {}, domain = organisation.domain): string {
  accounts += 1;
  const email = `worker-${accounts}@${domain}`;
  provider.accounts.set(`sub-${accounts}`, { email, email_verified: true, name: "Grace", ...claims });
  provider.loggedIn = `sub-${accounts}`;
  return email;
}

describe("logging in by single sign-on", () => {
  it("creates a member with the role of their groups, and takes them to the page they wanted", async () => {
    const email = enter({ groups: ["engineers", "others"] });
    const { browser, answer } = await logInBySso(service, { email, return_to: "/keys?state=active" });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({ confirm: null, sent: null, return_to: "/keys?state=active" });
    const session = await browser.call("GET", "/v1/session");
    expect(session.json).toMatchObject({
      person: { email, name: "Grace", email_verified: true, has_password: false },
      account: { id: organisation.accountId, role: "developer" },
    });
    const log = await organisation.owner.call("GET", "/v1/audit-log");
    expect(log.json.data.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["session.open", "member.join", "sso.change"]),
    );
  });

  it("finds the organisation by its name, too, and knows the person again", async () => {
    enter({ groups: ["platform"] });
    const first = await logInBySso(service, { organisation: organisation.name.toUpperCase() });
    const second = await logInBySso(service, { organisation: organisation.name });
    const [one, other] = await Promise.all([first, second].map(({ browser }) => browser.call("GET", "/v1/session")));
    expect(one?.json.person.id).toBe(other?.json.person.id);
    expect(one?.json.account.role).toBe("admin");
  });

  it("changes the role when the groups change, and refuses people whose groups give nothing", async () => {
    const strict = await openSsoOrganisation(service, provider, { default_role: null });
    const email = enter({ groups: ["platform"] }, strict.domain);
    const { browser } = await logInBySso(service, { email });
    expect((await browser.call("GET", "/v1/session")).json.account.role).toBe("admin");
    provider.accounts.set(provider.loggedIn, { email, groups: ["engineers"] });
    await logInBySso(service, { email }, browser);
    expect((await browser.call("GET", "/v1/session")).json.account.role).toBe("developer");
    provider.accounts.set(provider.loggedIn, { email, groups: ["sales"] });
    const { answer } = await logInBySso(service, { email });
    expect(answer.status).toBe(403);
    expect(answer.json.error).toMatchObject({ type: "insufficient_role" });
  });

  it("leaves an owner an owner", async () => {
    const address = `boss@${organisation.domain}`;
    await changeRows(service, "UPDATE people SET email = $2 WHERE id = $1", [organisation.owner.personId, address]);
    enter({ email: address, groups: ["engineers"] });
    const { browser } = await logInBySso(service, { email: address });
    expect((await browser.call("GET", "/v1/session")).json.account.role).toBe("owner");
  });

  it("goes on after the provider has changed its keys", async () => {
    const email = enter();
    expect((await logInBySso(service, { email })).answer.status).toBe(200);
    provider.rotateKeys();
    expect((await logInBySso(service, { email })).answer.status).toBe(200);
  });

  it("says where it can't begin", async () => {
    const browser = openBrowser(service);
    for (const body of [{ email: newAddress() }, { organisation: "no-such-one" }]) {
      const answer = await browser.post("/v1/auth/sso", body);
      expect(answer.status, answer.text).toBe(404);
      expect(answer.json.error.param).toBe(Object.keys(body)[0]);
    }
    expect((await browser.post("/v1/auth/sso", {})).status).toBe(400);
    expect((await browser.post("/v1/auth/sso", { email: "a@b.example", organisation: "x" })).status).toBe(400);
  });
});

describe("an address outside the organisation's domains", () => {
  it("logs in once its mailbox has confirmed it, and from then on without", async () => {
    const email = enter({}, "elsewhere.example");
    const { answer, browser } = await logInBySso(service, { organisation: organisation.name });
    expect(answer.json).toMatchObject({ confirm: email, sent: "log" });
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
    const token = await loggedToken(service, email, "sso/confirm");
    const mailbox = openBrowser(service);
    expect((await mailbox.post("/v1/auth/sso/address", { token })).json).toEqual({
      organisation: "An organisation",
      email,
    });
    expect((await mailbox.post("/v1/auth/sso/confirm", { token })).status).toBe(200);
    expect((await mailbox.call("GET", "/v1/session")).json.account.id).toBe(organisation.accountId);
    expect((await openBrowser(service).post("/v1/auth/sso/confirm", { token })).status).toBe(404);
    expect((await logInBySso(service, { organisation: organisation.name })).answer.json.confirm).toBeNull();
  });
});

describe("enforced single sign-on", () => {
  it("takes a session by single sign-on, and shuts out every other", async () => {
    const enforced = await openSsoOrganisation(service, provider);
    const { owner } = enforced;
    const refused = await owner.call("POST", "/v1/organisation/sso/enforcement", { enforced: true });
    expect(refused.status, refused.text).toBe(409);
    // The owner's address is in the domain, and they have a password.
    const { browser: own, email: address } = await signUp(service, `chief@${enforced.domain}`);
    const { json: person } = await own.call("GET", "/v1/me");
    const invited = await owner.call("POST", "/v1/invitations", { email: address, role: "owner" });
    const token = invited.json.link.split("#")[1];
    expect((await own.post("/v1/auth/accept-invitation", { token })).status).toBe(200);
    enter({ email: address });
    const { browser } = await logInBySso(service, { email: address });
    const made = await browser.post("/v1/organisation/sso/enforcement", { enforced: true });
    expect(made.status, made.text).toBe(200);
    // Sessions that were open end for this organisation at once; the person's own organisation stays open to a password.
    expect((await owner.call("GET", "/v1/session")).status).toBe(401);
    expect((await own.call("GET", "/v1/session")).status).toBe(401);
    const again = openBrowser(service);
    expect((await again.post("/v1/auth/log-in", { email: address, password: PASSWORD })).status).toBe(200);
    const { json: session } = await again.call("GET", "/v1/session");
    expect(session.person.id).toBe(person.id);
    expect(session.account.id).not.toBe(enforced.accountId);
    const switched = await again.post("/v1/session/account", { account_id: enforced.accountId });
    expect(switched.status).toBe(404);
    expect((await browser.call("GET", "/v1/session")).json.account.id).toBe(enforced.accountId);
    // The operator can open it again.
    const lifted = await service.call("DELETE", `/v1/admin/accounts/${enforced.accountId}/sso-enforcement`);
    expect(lifted.status).toBe(204);
    expect((await owner.call("GET", "/v1/session")).status).toBe(200);
  });

  it("can't be got around by password, reset link or invitation where the person has no other organisation", async () => {
    const { browser, email } = await signUp(service);
    const { json } = await browser.call("GET", "/v1/session");
    await changeRows(service, "UPDATE accounts SET sso_enforced = true WHERE id = $1", [json.account.id]);
    const byPassword = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(byPassword.status).toBe(403);
    expect(byPassword.json.error.type).toBe("sso_required");
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const token = await loggedToken(service, email, "reset");
    const reset = await openBrowser(service).post("/v1/auth/reset", { token, password: "lantern quartz ribbon fog" });
    expect(reset.json.error.type).toBe("sso_required");
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
  });
});

describe("enforced single sign-on, for a person with a passkey and a wallet", () => {
  const key = new Authenticator();
  const wallet = privateKeyToAccount(generatePrivateKey());

  const byPasskey = async () => {
    const browser = openBrowser(service);
    const { json } = await browser.post("/v1/auth/passkey-options");
    const response = key.answer(json.options, service.url);
    return { browser, answer: await browser.post("/v1/auth/passkey", { ticket: json.ticket, response }) };
  };
  const byWallet = async () => {
    const browser = openBrowser(service);
    const { json } = await browser.post("/v1/auth/wallet-options", { address: wallet.address });
    const signature = await wallet.signMessage({ message: json.message });
    return { browser, answer: await browser.post("/v1/auth/wallet", { message: json.message, signature }) };
  };
  const enforce = (accountId: string, enforced: boolean) =>
    changeRows(service, "UPDATE accounts SET sso_enforced = $2 WHERE id = $1", [accountId, enforced]);

  it("refuses both and leads to single sign-on, ends open sessions, and leaves keys", async () => {
    const { browser } = await signUp(service);
    const { account } = (await browser.call("GET", "/v1/session")).json;
    const { json: asked } = await browser.post("/v1/me/passkeys/options");
    const registered = key.register(asked.options, service.url);
    const added = await browser.post("/v1/me/passkeys", { ticket: asked.ticket, response: registered, name: "Laptop" });
    expect(added.status, added.text).toBe(201);
    const { json: challenge } = await browser.post("/v1/billing/wallets/challenge", { address: wallet.address });
    const signature = await wallet.signMessage({ message: challenge.message });
    const linked = await browser.post("/v1/billing/wallets", { message: challenge.message, signature, log_in: true });
    expect(linked.status, linked.text).toBe(201);
    const made = await browser.post("/v1/keys", { name: "Server", scopes: ["read"] });
    const open = await Promise.all([byPasskey(), byWallet()]);
    for (const { browser: session, answer } of open) {
      expect(answer.status, answer.text).toBe(200);
      expect((await session.call("GET", "/v1/session")).status).toBe(200);
    }

    await enforce(account.id, true);
    for (const session of [browser, ...open.map((one) => one.browser)]) {
      expect((await session.call("GET", "/v1/session")).status).toBe(401);
      // A session can't be turned to it either, whatever it was opened by.
      const turned = await session.post("/v1/session/account", { account_id: account.id });
      expect([401, 403, 404]).toContain(turned.status);
    }
    for (const { browser: refused, answer } of await Promise.all([byPasskey(), byWallet()])) {
      expect(answer.status, answer.text).toBe(403);
      expect(answer.json.error).toMatchObject({
        type: "sso_required",
        message: expect.stringMatching(/single sign-on/),
      });
      expect((await refused.call("GET", "/v1/session")).status).toBe(401);
    }
    // Keys belong to the organisation, and go on.
    const usedKey = await service.call("GET", "/v1/models", undefined, { key: made.json.key });
    expect(usedKey.status, usedKey.text).toBe(200);

    await enforce(account.id, false);
    for (const { answer } of await Promise.all([byPasskey(), byWallet()])) expect(answer.status).toBe(200);
  });

  it("opens another organisation of theirs, from which the enforced one can't be reached", async () => {
    const enforced = await openSsoOrganisation(service, provider);
    const { browser } = await byPasskey();
    const { json: session } = await browser.call("GET", "/v1/session");
    const invited = await enforced.owner.call("POST", "/v1/invitations", {
      email: session.person.email,
      role: "admin",
    });
    const token = invited.json.link.split("#")[1];
    expect((await browser.post("/v1/auth/accept-invitation", { token })).status).toBe(200);
    await enforce(enforced.accountId, true);
    for (const { browser: opened, answer } of await Promise.all([byPasskey(), byWallet()])) {
      expect(answer.status, answer.text).toBe(200);
      const { json } = await opened.call("GET", "/v1/session");
      expect(json.account.id).toBe(session.account.id);
      expect(json.accounts).toContainEqual(expect.objectContaining({ id: enforced.accountId, sso_only: true }));
      const turned = await opened.post("/v1/session/account", { account_id: enforced.accountId });
      expect(turned.status).toBe(404);
    }
  });
});

describe("the settings of single sign-on", () => {
  it("are for owners, are checked with the issuer, and never show the secret", async () => {
    const admin = await openMember(service, "admin", organisation.accountId);
    expect((await admin.call("PUT", "/v1/organisation/sso", {})).status).toBe(403);
    const read = await admin.call("GET", "/v1/organisation/sso");
    expect(read.json.provider).toMatchObject({ issuer: provider.issuer, has_secret: true });
    expect(read.text).not.toContain(provider.clientSecret);
    const body = { name: "other-name", client_id: "x" };
    const owner = await openMember(service);
    for (const issuer of ["http://127.0.0.1:1", "https://10.0.0.1", "https://localhost/x", "ftp://a.example", "x"]) {
      const answer = await owner.call("PUT", "/v1/organisation/sso", { ...body, issuer });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json.error.param).toBe("issuer");
    }
    const taken = await owner.call("PUT", "/v1/organisation/sso", {
      ...body,
      name: organisation.name,
      issuer: provider.issuer,
    });
    expect(taken.status, taken.text).toBe(409);
    const asOwner = { ...body, issuer: provider.issuer, role_rules: [{ group: "x", role: "owner" }] };
    expect((await owner.call("PUT", "/v1/organisation/sso", asOwner)).status).toBe(400);
    expect((await owner.call("POST", "/v1/organisation/sso/enforcement", { enforced: true })).status).toBe(404);
    expect((await owner.call("DELETE", "/v1/organisation/sso")).status).toBe(404);
  });

  it("end its sessions when it is removed, and leave the members", async () => {
    const other = await openSsoOrganisation(service, provider);
    const email = enter({}, other.domain);
    const { browser } = await logInBySso(service, { email });
    expect((await other.owner.call("DELETE", "/v1/organisation/sso")).status).toBe(204);
    expect((await browser.call("GET", "/v1/session")).status).toBe(401);
    const members = await other.owner.call("GET", "/v1/members");
    expect(members.json.data.map((member: { email: string }) => member.email)).toContain(email);
  });

  it("take a domain once, by one organisation", async () => {
    const owner = await openMember(service);
    expect((await owner.call("POST", "/v1/organisation/domains", { name: "not a domain" })).status).toBe(400);
    const added = await owner.call("POST", "/v1/organisation/domains", { name: organisation.domain.toUpperCase() });
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({ name: organisation.domain, verified_at: null });
    expect(added.json.record.name).toBe(`_trunkline.${organisation.domain}`);
    const verified = await owner.call("POST", `/v1/organisation/domains/${organisation.domain}/verify`);
    expect(verified.status).toBe(409);
    const path = `/v1/admin/accounts/${owner.accountId}/domains`;
    expect((await service.call("POST", path, { name: organisation.domain })).status).toBe(409);
    expect((await owner.call("DELETE", `/v1/organisation/domains/${organisation.domain}`)).status).toBe(204);
    expect((await owner.call("GET", "/v1/organisation/domains")).json.data).toEqual([]);
  });
});
