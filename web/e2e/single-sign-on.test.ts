import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../../server/test/support/identity-provider.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers } from "./find-barriers.ts";
import { openVisitor, SIZES, Visitors } from "./visit.ts";

let browser: Browser;
let provider: TestIdentityProvider;
let service: StartedService;
let owner: TestMember;

beforeAll(async () => {
  [browser, provider] = await Promise.all([openChromium(), startIdentityProvider()]);
  service = await startService((config) => ({ ...config, privateIssuers: [provider.issuer] }));
  owner = await openMember(service);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await provider?.stop();
});

const visitors = new Visitors(() => ({ browser, url: service.url }));

/** Pictures to look at, where a folder is named. */
async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  await page.setViewportSize(SIZES.phone);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.screenshot({ path: `${folder}/${name}-phone.png`, fullPage: true });
  await page.setViewportSize(SIZES.desk);
  await page.emulateMedia({ colorScheme: "light" });
}

it("lets an owner set up single sign-on, and a member log in by it", async () => {
  const { page, troubles } = await visitors.at(owner, "/settings/sso");
  await page.getByLabel("Name for logging in").fill("acme");
  await page.getByLabel("Issuer").fill("https://login.nowhere.invalid");
  await page.getByLabel("Client ID").fill(provider.clientId);
  await page.getByLabel("Client secret").fill(provider.clientSecret);
  await page.getByLabel("Scopes").fill("openid email profile groups");
  await page.getByRole("button", { name: "Add a group" }).click();
  await page.getByLabel("Group", { exact: true }).fill("platform");
  await page.getByLabel("Role", { exact: true }).selectOption("admin");
  await page.getByRole("button", { name: "Save" }).click();
  // A wrong issuer is said beside its field.
  await page.getByText("The issuer is no provider of OpenID Connect").waitFor();
  await page.getByLabel("Issuer").fill(provider.issuer);
  await page.getByRole("button", { name: "Save" }).click();
  const redirectUri = page.getByText(/\/sso\/callback\/[0-9a-f-]{36}/);
  await redirectUri.waitFor();
  provider.redirectUris.add((await redirectUri.textContent()) ?? "");
  await page.getByLabel("Domain", { exact: true }).fill("acme.example");
  await page.getByRole("button", { name: "Add domain" }).click();
  await page.getByText("trunkline-verification=").waitFor();
  expect(await page.getByRole("switch", { name: "Only by single sign-on" }).isDisabled()).toBe(true);
  await expectNoBarriers(page);
  await photograph(page, "sso-settings");
  expect(troubles).toEqual([]);

  const path = `/v1/admin/accounts/${owner.accountId}/domains`;
  expect((await service.call("POST", path, { name: "acme.example" })).status).toBe(201);
  provider.accounts.set("grace", { email: "grace@acme.example", name: "Grace Hopper", groups: ["platform"] });
  provider.loggedIn = "grace";
  const stranger = await openVisitor(browser, service.url);
  await stranger.page.goto("/log-in");
  await photograph(stranger.page, "log-in");
  await stranger.page.getByRole("link", { name: "Log in with single sign-on" }).click();
  await stranger.page.getByLabel("Email address or organisation").fill("unknown-name");
  await stranger.page.getByRole("button", { name: "Continue" }).click();
  await stranger.page.getByText("No organisation here has set up single sign-on under this name").waitFor();
  await photograph(stranger.page, "sso");
  await stranger.page.getByLabel("Email address or organisation").fill("grace@acme.example");
  await stranger.page.getByRole("button", { name: "Continue" }).click();
  await stranger.page.waitForURL(`${service.url}/`);
  await stranger.page.goto("/settings/profile");
  await stranger.page.getByText("managed there").waitFor();
  await photograph(stranger.page, "sso-profile");
  // The address of the organisation leads to its identity provider at once.
  await stranger.context.clearCookies();
  await stranger.page.goto("/sso/acme?next=%2Fkeys");
  await stranger.page.waitForURL(`${service.url}/keys`);
  await stranger.context.close();
});

it("asks people with another address to confirm it", async () => {
  provider.accounts.set("guest", { email: "guest@elsewhere.example", name: "Guest" });
  provider.loggedIn = "guest";
  const { page, context } = await openVisitor(browser, service.url);
  await page.goto("/sso/acme");
  await page.getByText("guest@elsewhere.example").waitFor();
  await photograph(page, "sso-sent");
  const token = /sso\/confirm#([\w-]{43})/.exec(service.logged())?.[1];
  await page.goto(`/sso/confirm#${token}`);
  await page.getByRole("button", { name: "Allow and log in" }).waitFor();
  await photograph(page, "sso-confirm");
  await page.getByRole("button", { name: "Allow and log in" }).click();
  await page.waitForURL(`${service.url}/`);
  await context.close();
});

it("lets an owner make a service account, trust a workload, and make a token for the directory", async () => {
  const { page, troubles } = await visitors.at(owner, "/settings/service-accounts");
  await page.getByRole("button", { name: "Create service account" }).click();
  await page.getByLabel("Name").fill("CI");
  await page.getByRole("dialog").getByRole("button", { name: "Create service account" }).click();
  await page.getByText("No workload is trusted yet.").waitFor();
  await page.getByRole("button", { name: "Trust workload" }).click();
  await page.getByText("conditions[0]").first().waitFor();
  await page.getByLabel("Value").fill("acme/site");
  await page.getByRole("button", { name: "Trust workload" }).click();
  await page.getByText("repository = acme/site").waitFor();
  await expectNoBarriers(page);
  await photograph(page, "trusts");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("cell", { name: "CI" }).first().waitFor();
  await photograph(page, "service-accounts");
  expect(troubles).toEqual([]);
  await visitors.at(owner, "/settings/sso");
  await page.getByRole("button", { name: "Create token" }).click();
  expect(await page.getByRole("textbox", { name: "Token" }).inputValue()).toMatch(/^tl_/);
  await photograph(page, "scim-token");
});
