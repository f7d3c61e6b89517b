import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DeployedContract, type EvmNode, startEvmNode } from "../../server/test/support/evm-node.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { CONFIRMATIONS, deployToken, freshTreasury, tokenSettings } from "../../server/test/support/token-trial.ts";
import { openChromium } from "./chromium.ts";
import { goTo, openVisitor, settle } from "./visit.ts";

let browser: Browser;
let node: EvmNode;
let token: DeployedContract;
let service: StartedService;
let owner: TestMember;
let wallet: ReturnType<EvmNode["account"]>;
const treasury = freshTreasury();

beforeAll(async () => {
  [browser, node] = await Promise.all([openChromium(), startEvmNode()]);
  token = await deployToken(node);
  service = await startService((config) => ({ ...config, token: tokenSettings(node, token, treasury) }));
  // The test says when the chain is read.
  await service.services.token?.watcher.stop();
  owner = await openMember(service);
  wallet = node.account(9);
  await node.send(node.account(0), token, "transfer", [wallet.address, 10n ** 20n]);
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await node.stop();
});

async function readChain(blocks = 0): Promise<void> {
  if (blocks > 0) await node.client.mine({ blocks });
  while ((await service.services.token?.watcher.pass()) === true);
}

/** Puts a wallet into every page, as an extension does. Its key stays here. */
async function injectWallet(context: BrowserContext): Promise<void> {
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_requestAccounts: () => [wallet.address],
    eth_chainId: () => `0x${node.chainId.toString(16)}`,
    personal_sign: ([message]) => wallet.signMessage({ message: { raw: message as `0x${string}` } }),
    eth_sendTransaction: ([call]) => {
      const { to, data } = call as { to: `0x${string}`; data: `0x${string}` };
      return node.client.sendTransaction({ account: wallet, to, data });
    },
  };
  await context.exposeFunction("askTestWallet", (method: string, params: readonly unknown[]) => {
    const answer = answers[method];
    if (answer === undefined) throw new Error(`The test's wallet does not know ${method}.`);
    return answer(params);
  });
  await context.addInitScript(() => {
    const ask = (method: string, params: readonly unknown[] = []) =>
      (
        window as unknown as { askTestWallet: (method: string, params: readonly unknown[]) => Promise<unknown> }
      ).askTestWallet(method, params);
    const detail = {
      info: { uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Test wallet", icon: "", rdns: "test.wallet" },
      provider: {
        request: ({ method, params }: { method: string; params?: readonly unknown[] }) => ask(method, params),
      },
    };
    const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  });
}

/** The balance as the card shows it. */
const shows = (page: Page, money: string) => page.getByRole("main").getByText(money, { exact: true }).first().waitFor();

it("links a wallet, pays by token, sees the balance grow without a reload, and logs in by the wallet", async () => {
  const { page, context, troubles } = await openVisitor(browser, service.url, { member: owner });
  await injectWallet(context);
  await goTo(page, "/billing");
  await page.getByLabel("Use for log-in").click();
  await page.getByRole("button", { name: "Link Test wallet" }).click();
  await page.getByText("Log-in", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Pay by token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("4");
  await dialog.getByText("You get $10").waitFor();
  await dialog.getByRole("button", { name: "Pay with Test wallet" }).click();
  await dialog.getByText("Payment sent", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await readChain();
  await page.getByText(`1 of ${CONFIRMATIONS} blocks`).waitFor();
  await readChain(CONFIRMATIONS);
  await page.getByText("Credited", { exact: true }).waitFor();
  await shows(page, "$10.00");
  const { json } = await owner.call("GET", "/v1/balance");
  expect(json.balance).toBe(10);

  await context.clearCookies();
  await page.goto("/log-in");
  await page.getByRole("button", { name: "Log in with Test wallet" }).click();
  await page.waitForURL((at) => at.pathname === "/");
  await settle(page);
  expect(troubles).toEqual([]);
  await context.close();
});

it("shows the operator the treasury and what nobody has claimed, and credits it", async () => {
  const stranger = node.account(3);
  await node.send(node.account(0), token, "transfer", [stranger.address, 10n ** 18n]);
  await node.send(stranger, token, "transfer", [treasury, 10n ** 18n]);
  await readChain(CONFIRMATIONS);
  const account = await service.services.identity.accounts.findOperator();
  const operator = await openMember(service, "owner", account?.id);
  const { page, context, troubles } = await openVisitor(browser, service.url, { member: operator });
  await goTo(page, "/operator/token");
  await page.getByText("5 TRK", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Credit" }).click();
  await page.getByRole("dialog").getByLabel("Account").fill(owner.accountId);
  await page.getByRole("dialog").getByRole("button", { name: "Credit" }).click();
  await page.getByText("No results").waitFor();
  expect((await owner.call("GET", "/v1/balance")).json.balance).toBe(12.5);
  expect(troubles).toEqual([]);
  await context.close();
});
