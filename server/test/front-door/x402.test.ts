import { Secret } from "@trunkline/core/secret.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Hex, parseSignature } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/app/config/config.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";
import { type StartedService, startService } from "../support/started-service.ts";

/** The key of the settlement: the node's account 9, which has coins for gas. */
const SETTLEMENT_KEY: Hex = "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6";
const PAY_TO: Hex = "0x00000000000000000000000000000000000000aa";
const TOKENS = 1_000_000n;

let node: EvmNode;
let token: DeployedContract;
let service: StartedService;
let provider: ScriptedProvider;
let wallets = 0;

beforeAll(async () => {
  [node, provider] = await Promise.all([startEvmNode(), startProvider()]);
  token = await node.deploy("TrunklineToken", ["Dollar", "USD", 6, 10n ** 15n, node.account(0).address]);
  service = await startService(withX402);
  const registration = registrationOf(provider, "paid", { streaming: true });
  const registered = await service.call("POST", "/v1/provider/models", registration);
  expect(registered.status, registered.text).toBe(201);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([provider.stop(), node.stop()]);
});
const withX402 = (config: Config): Config => ({
  ...config,
  x402: {
    rpcUrl: new Secret(node.url),
    chainId: node.chainId,
    asset: token.address.toLowerCase(),
    payTo: PAY_TO,
    key: new Secret(SETTLEMENT_KEY),
    rate: { numerator: 1n, decimals: 0 },
    assetVersion: "1",
    minimumCredits: 0.01,
  },
});

/** A wallet of its own, with tokens and without coins. */
async function openWallet(units = TOKENS): Promise<PrivateKeyAccount> {
  wallets += 1;
  const wallet = privateKeyToAccount(`0x${String(wallets).padStart(63, "1")}7`);
  if (units > 0n) await node.send(node.account(0), token, "transfer", [wallet.address, units]);
  return wallet;
}

const tokensOf = (address: Hex) =>
  node.client.readContract({ address: token.address, abi: token.abi, functionName: "balanceOf", args: [address] });

function clientOf(wallet: PrivateKeyAccount): x402Client {
  return x402Client.fromConfig({
    schemes: [{ network: `eip155:${node.chainId}`, client: new ExactEvmScheme(wallet) }],
    spendControls: { allowedAssets: true },
  });
}

const payingFetch = (wallet: PrivateKeyAccount) => wrapFetchWithPayment(fetch, clientOf(wallet));

const chat = (stream = false): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "paid", messages: [{ role: "user", content: "Hello" }], max_tokens: 100, stream }),
});
const CHAT = "/openai/v1/chat/completions";

async function payments() {
  return service.database.query<{ payer: string; state: string; units: string }>(
    "SELECT payer, state, units::text AS units FROM x402_payments ORDER BY created_at",
  );
}

/** Runs the settlement until nothing is open. */
async function settleAll(): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await service.services.x402?.settle();
    const open = (await payments()).filter(({ state }) => ["running", "ended", "settling"].includes(state));
    if (open.length === 0) return;
    await service.services.ledger.funds.returnIdleLeases();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Payments stay open: ${JSON.stringify(await payments())}`);
}

async function expectSound(): Promise<void> {
  const { findings } = await auditLedger(service.database);
  expect(
    findings.filter(({ verdict }) => verdict === "broken").map(({ check, examples }) => [check, examples[0]]),
  ).toEqual([]);
}

/** A payment as the client makes it, of the amount that is asked for or another. */
async function signPayment(wallet: PrivateKeyAccount, amount?: string) {
  const refused = await fetch(`${service.url}${CHAT}`, chat());
  expect(refused.status).toBe(402);
  const required = JSON.parse(Buffer.from(refused.headers.get("payment-required") ?? "", "base64").toString());
  if (amount !== undefined) required.accepts[0].amount = amount;
  return clientOf(wallet).createPaymentPayload(required);
}

const send = (payment: unknown, init = chat()) =>
  fetch(`${service.url}${CHAT}`, {
    ...init,
    headers: {
      "content-type": "application/json",
      "payment-signature": Buffer.from(JSON.stringify(payment)).toString("base64"),
    },
  });

const reasonOf = (response: Response) =>
  JSON.parse(Buffer.from(response.headers.get("payment-required") ?? "", "base64").toString()).error;

describe("a request without a key", () => {
  it("is answered with the terms of a payment, in the standard's form", async () => {
    const response = await fetch(`${service.url}${CHAT}`, chat());
    expect(response.status).toBe(402);
    const required = JSON.parse(Buffer.from(response.headers.get("payment-required") ?? "", "base64").toString());
    expect(required).toEqual({
      x402Version: 2,
      error: "PAYMENT-SIGNATURE header is required",
      resource: { url: `${service.url}${CHAT}` },
      accepts: [
        {
          scheme: "exact",
          network: `eip155:${node.chainId}`,
          asset: token.address.toLowerCase(),
          amount: "10000",
          payTo: PAY_TO,
          maxTimeoutSeconds: 3600,
          extra: { name: "Dollar", version: "1" },
        },
      ],
    });
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("x402") } });
    // What is not for sale stays as it was.
    expect((await fetch(`${service.url}/v1/balance`)).status).toBe(401);
    const free = {
      ...chat(),
      body: JSON.stringify({ model: "guide", messages: [{ role: "user", content: "Hello" }] }),
    };
    expect((await fetch(`${service.url}${CHAT}`, free)).status).toBe(401);
  });
});

describe("a start", () => {
  it.each([
    ["another chain id", { chainId: 1 }, /TRUNKLINE_X402_CHAIN_ID is 1, but the chain .* has the id 31337/],
    ["no contract", { asset: `0x${"7".repeat(40)}` }, /TRUNKLINE_X402_ASSET is no token with EIP-3009/],
    [
      "another version",
      { assetVersion: "2" },
      /TRUNKLINE_X402_ASSET_VERSION is 2, and the contract .* signs by another/,
    ],
  ])("with %s is refused by a sentence", async (_what, change, sentence) => {
    const start = startService((config) => {
      const { x402 } = withX402(config);
      return { ...config, x402: x402 && { ...x402, ...change } };
    });
    await expect(start).rejects.toThrow(sentence);
  });
});

describe("an unmodified client of x402", () => {
  it("pays for a plain and for a streamed answer, and what it paid too much pays for the next", async () => {
    const wallet = await openWallet();
    const pay = payingFetch(wallet);
    const before = (await tokensOf(PAY_TO)) as bigint;
    const plain = await pay(`${service.url}${CHAT}`, chat());
    expect(plain.status).toBe(200);
    expect(await plain.json()).toMatchObject({ choices: [{ message: { content: "A plain answer." } }] });
    await settleAll();
    expect(await tokensOf(wallet.address)).toBe(TOKENS - 10_000n);
    expect(await tokensOf(PAY_TO)).toBe(before + 10_000n);
    const streamed = await pay(`${service.url}${CHAT}`, chat(true));
    expect(streamed.status).toBe(200);
    expect(await streamed.text()).toContain("[DONE]");
    await settleAll();
    // The second authorisation was not needed: the rest of the first covers the answer.
    expect(await tokensOf(wallet.address)).toBe(TOKENS - 10_000n);
    const own = (await payments()).filter(({ payer }) => payer === wallet.address.toLowerCase());
    expect(own.map(({ state }) => state)).toEqual(["settled", "void"]);
    await expectSound();
  });
});

describe("a payment", () => {
  it("is refused when it is replayed, expired, too small, forged, for another recipient, or not covered", async () => {
    const wallet = await openWallet();
    const answered = (await payments()).length;
    const payment = await signPayment(wallet);
    const requests = provider.calls.length;
    const refusals: [string, unknown][] = [];
    const change = (authorization: object, more: object = {}) => {
      const inner = payment.payload as { authorization: object };
      return {
        ...payment,
        payload: { ...inner, ...more, authorization: { ...inner.authorization, ...authorization } },
      };
    };
    refusals.push(["signature", change({}, { signature: `0x${"11".repeat(65)}` })]);
    refusals.push(["signature", change({ from: node.account(3).address })]);
    refusals.push(["valid_before", change({ validBefore: String(Math.floor(Date.now() / 1000) - 1) })]);
    refusals.push(["value", change({ value: "9999" })]);
    refusals.push(["network", change({ to: node.account(3).address })]);
    refusals.push(["network", { ...payment, accepted: { ...payment.accepted, network: "eip155:1" } }]);
    refusals.push(["payload", { ...payment, x402Version: 1 }]);
    refusals.push(["payload", "nothing"]);
    const underpaid = await signPayment(wallet, "9999");
    refusals.push(["value", underpaid]);
    for (const [reason, forged] of refusals) {
      const response = await send(forged);
      expect(response.status, reason).toBe(402);
      expect(reasonOf(response)).toContain(reason);
    }
    const poor = await send(await signPayment(await openWallet(0n)));
    expect(poor.status).toBe(402);
    expect(provider.calls.length).toBe(requests);
    expect((await payments()).length).toBe(answered);
    // Many at once: one of them is served.
    const all = await Promise.all(Array.from({ length: 6 }, () => send(payment)));
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402, 402, 402, 402, 402]);
    await settleAll();
    expect((await send(payment)).status).toBe(402);
    expect((await payments()).length).toBe(answered + 1);
    expect(await tokensOf(wallet.address)).toBe(TOKENS - 10_000n);
    await expectSound();
  });

  it("is not settled where the answer fails before any output", async () => {
    const wallet = await openWallet();
    provider.script = (response) => {
      response.statusCode = 500;
      response.end("no");
    };
    const response = await payingFetch(wallet)(`${service.url}${CHAT}`, chat()).finally(() => {
      provider.script = answerPlainly;
    });
    expect(response.status).toBe(502);
    await settleAll();
    expect(await tokensOf(wallet.address)).toBe(TOKENS);
    expect((await payments()).at(-1)).toMatchObject({ state: "void", payer: wallet.address.toLowerCase() });
    await expectSound();
  });

  it("can't be made many times at once from tokens for one", async () => {
    const wallet = await openWallet(10_000n);
    const signed = await Promise.all([1, 2, 3].map(() => signPayment(wallet)));
    const all = await Promise.all(signed.map((payment) => send(payment)));
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402, 402]);
    await settleAll();
    expect(await tokensOf(wallet.address)).toBe(0n);
    await expectSound();
  });

  it("that the wallet takes away before it is settled is the operator's loss, and blocks the wallet", async () => {
    const wallet = await openWallet();
    const own = async () => (await payments()).filter(({ payer }) => payer === wallet.address.toLowerCase());
    await node.client.setBalance({ address: wallet.address, value: 10n ** 18n });
    provider.script = async (response, call) => {
      await node.send(wallet, token, "transfer", [node.account(0).address, TOKENS]);
      await answerPlainly(response, call);
    };
    const answered = await send(await signPayment(wallet)).finally(() => {
      provider.script = answerPlainly;
    });
    expect(answered.status).toBe(200);
    await service.services.x402?.settle().catch(() => undefined);
    expect(await own()).toMatchObject([{ state: "ended" }]);
    await service.database.query(
      "UPDATE x402_payments SET valid_before = now() - interval '5 minutes' WHERE payer = $1",
      [wallet.address.toLowerCase()],
    );
    await settleAll();
    expect(await own()).toMatchObject([{ state: "lost" }]);
    await node.send(node.account(0), token, "transfer", [wallet.address, TOKENS]);
    const again = await send(await signPayment(wallet));
    expect(again.status).toBe(402);
    expect(reasonOf(again)).toBe("payer_blocked");
    await expectSound();
  });

  it("that the wallet cancels, or spends on another transfer while it is served, is not settled", async () => {
    for (const spoil of [cancelPayment, spendOnItself]) {
      const wallet = await openWallet();
      await node.client.setBalance({ address: wallet.address, value: 10n ** 18n });
      const payment = await signPayment(wallet, "500000");
      const answered = await whileServed(() => spoil(wallet, payment), payment);
      expect(answered.status).toBe(200);
      await settleAll();
      expect(await tokensOf(wallet.address)).toBe(TOKENS);
      expect(await ownPayments(wallet), spoil.name).toMatchObject([{ state: "lost" }]);
      // Nothing of what was never paid is left to spend.
      expect(await creditsOf(wallet)).toBe(0n);
    }
    await expectSound();
  });

  it("that another sends to the chain first is paid all the same, once", async () => {
    const wallet = await openWallet();
    const payment = await signPayment(wallet);
    const answered = await whileServed(() => sendForOther(payment), payment);
    expect(answered.status).toBe(200);
    await settleAll();
    expect(await tokensOf(wallet.address)).toBe(TOKENS - 10_000n);
    expect(await ownPayments(wallet)).toMatchObject([{ state: "settled" }]);
    expect(await creditsOf(wallet)).toBeGreaterThan(0n);
    await expectSound();
  });
});

type SignedPayment = Awaited<ReturnType<typeof signPayment>>;

const authorisationOf = ({ payload }: SignedPayment) =>
  payload as { signature: Hex; authorization: Record<"from" | "to" | "nonce", Hex> & Record<string, string> };

/** Sends a payment, and does something else while its request runs. */
async function whileServed(work: () => Promise<unknown>, payment: SignedPayment): Promise<Response> {
  provider.script = async (response, call) => {
    await work();
    await answerPlainly(response, call);
  };
  return send(payment).finally(() => {
    provider.script = answerPlainly;
  });
}

async function ownPayments({ address }: PrivateKeyAccount) {
  return (await payments()).filter(({ payer }) => payer === address.toLowerCase());
}

async function creditsOf({ address }: PrivateKeyAccount): Promise<bigint> {
  const [row] = await service.database.query<{ credits: bigint }>(
    `SELECT sum(balance)::bigint AS credits FROM ledger_accounts l JOIN x402_payers p ON p.account_id = l.account_id
     WHERE p.address = $1 AND l.kind IN ('customer', 'lease')`,
    [address.toLowerCase()],
  );
  return row?.credits ?? -1n;
}

const domain = () => ({ name: "Dollar", version: "1", chainId: node.chainId, verifyingContract: token.address });

async function cancelPayment(wallet: PrivateKeyAccount, payment: SignedPayment): Promise<void> {
  const { nonce } = authorisationOf(payment).authorization;
  const signature = await wallet.signTypedData({
    domain: domain(),
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: wallet.address, nonce },
  });
  const { r, s, yParity } = parseSignature(signature);
  await node.send(wallet, token, "cancelAuthorization", [wallet.address, nonce, 27 + yParity, r, s]);
}

/** Another authorisation with the same nonce, of a wallet to itself. */
async function spendOnItself(wallet: PrivateKeyAccount, payment: SignedPayment): Promise<void> {
  const { nonce } = authorisationOf(payment).authorization;
  const until = BigInt(Math.floor(Date.now() / 1000) + 86_400);
  const message = {
    from: wallet.address,
    to: wallet.address,
    value: 500_000n,
    validAfter: 0n,
    validBefore: until,
    nonce,
  };
  const signature = await wallet.signTypedData({
    domain: domain(),
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "TransferWithAuthorization",
    message,
  });
  await node.send(wallet, token, "transferWithAuthorization", [...Object.values(message), signature]);
}

async function sendForOther(payment: SignedPayment): Promise<void> {
  const { signature, authorization } = authorisationOf(payment);
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const args = [from, to, value, validAfter, validBefore, nonce, signature];
  await node.send(node.account(5), token, "transferWithAuthorization", args);
}
