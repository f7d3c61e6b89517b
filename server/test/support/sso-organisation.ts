import { expect } from "vitest";
import { openBrowser, type TestBrowser } from "./browser.ts";
import { followToCallback, type TestIdentityProvider } from "./identity-provider.ts";
import { openMember, type TestMember } from "./member.ts";
import type { Answer, StartedService } from "./started-service.ts";

let organisations = 0;

/** An organisation with an identity provider of its own. */
export interface SsoOrganisation {
  readonly owner: TestMember;
  readonly accountId: string;
  /** What people enter to log in. */
  readonly name: string;
  readonly domain: string;
  readonly providerId: string;
}

/** Opens an organisation with single sign-on and a verified domain. */
export async function openSsoOrganisation(
  service: StartedService,
  identityProvider: Pick<TestIdentityProvider, "issuer" | "clientId" | "clientSecret"> & {
    readonly redirectUris?: Set<string>;
  },
  settings: Readonly<Record<string, unknown>> = {},
): Promise<SsoOrganisation> {
  organisations += 1;
  const name = `org-${process.pid}-${organisations}`;
  const domain = `${name}.example`;
  const owner = await openMember(service);
  const saved = await owner.call("PUT", "/v1/organisation/sso", {
    name,
    issuer: identityProvider.issuer,
    client_id: identityProvider.clientId,
    client_secret: identityProvider.clientSecret,
    scopes: ["openid", "email", "profile", "groups"],
    role_rules: [
      { group: "platform", role: "admin" },
      { group: "engineers", role: "developer" },
    ],
    default_role: "viewer",
    ...settings,
  });
  expect(saved.status, saved.text).toBe(200);
  identityProvider.redirectUris?.add(saved.json.redirect_uri);
  const vouched = await service.call("POST", `/v1/admin/accounts/${owner.accountId}/domains`, { name: domain });
  expect(vouched.status, vouched.text).toBe(201);
  return { owner, accountId: owner.accountId, name, domain, providerId: saved.json.id };
}

/** Logs in at the identity provider in a new browser, and brings its answer to the service. */
export async function logInBySso(
  service: StartedService,
  target: Readonly<Record<string, unknown>>,
  browser: TestBrowser = openBrowser(service),
): Promise<{ browser: TestBrowser; answer: Answer }> {
  const begun = await browser.post("/v1/auth/sso", target);
  expect(begun.status, begun.text).toBe(200);
  const callback = await followToCallback(begun.json.url);
  return { browser, answer: await finishSso(browser, callback) };
}

/** What the dashboard's callback page sends. */
export function finishSso(browser: TestBrowser, callback: URL): Promise<Answer> {
  return browser.post("/v1/auth/sso/callback", {
    provider_id: callback.pathname.split("/").at(-1),
    query: callback.search,
  });
}
