import { request } from "node:http";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { absentToken } from "../support/token-trial.ts";

let service: StartedService;
let owner: TestMember;

beforeAll(async () => {
  // These wallets are keys, so that the chain is not asked.
  service = await startService((config) => ({ ...config, token: absentToken() }));
  await service.services.token?.watcher.stop();
  owner = await openMember(service);
});
afterAll(() => service.stop());

const newWallet = () => privateKeyToAccount(generatePrivateKey());

/** The message that a member's wallet is to sign. */
async function messageFor(member: TestMember, wallet: LocalAccount): Promise<string> {
  const answer = await member.call("POST", "/v1/billing/wallets/challenge", { address: wallet.address });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.message;
}

async function link(member: TestMember, wallet: LocalAccount, more: Record<string, unknown> = {}) {
  const message = await messageFor(member, wallet);
  const signature = await wallet.signMessage({ message });
  return member.call("POST", "/v1/billing/wallets", { message, signature, ...more });
}

const visitor = (method: string, path: string, body: unknown) =>
  service.call(method, path, body, { key: null, headers: { origin: service.url } });

async function logIn(wallet: LocalAccount) {
  const { json } = await visitor("POST", "/v1/auth/wallet-options", { address: wallet.address });
  return visitor("POST", "/v1/auth/wallet", {
    message: json.message,
    signature: await wallet.signMessage({ message: json.message }),
  });
}

describe("linking a wallet", () => {
  it("takes a signature of the service's own message", async () => {
    const wallet = newWallet();
    const message = await messageFor(owner, wallet);
    expect(parseSiweMessage(message)).toMatchObject({
      domain: new URL(service.url).host,
      uri: service.url,
      address: wallet.address,
      chainId: 31_337,
      version: "1",
    });
    const linked = await owner.call("POST", "/v1/billing/wallets", {
      message,
      signature: await wallet.signMessage({ message }),
      name: "Savings",
    });
    expect(linked.status, linked.text).toBe(201);
    expect(linked.json).toMatchObject({ address: wallet.address.toLowerCase(), name: "Savings", log_in: false });
    const { data } = (await owner.call("GET", "/v1/billing/wallets")).json;
    expect(data).toContainEqual(linked.json);
    expect((await owner.call("DELETE", `/v1/billing/wallets/${wallet.address}`)).status).toBe(204);
    expect((await owner.call("DELETE", `/v1/billing/wallets/${wallet.address}`)).status).toBe(404);
  });

  it("works once by each nonce, also where it was refused", async () => {
    const wallet = newWallet();
    const message = await messageFor(owner, wallet);
    const forged = { message, signature: await newWallet().signMessage({ message }) };
    // The key does not fit, so that the chain is asked for a contract, and is away.
    expect((await owner.call("POST", "/v1/billing/wallets", forged)).status).toBe(503);
    const right = { message, signature: await wallet.signMessage({ message }) };
    expect((await owner.call("POST", "/v1/billing/wallets", right)).status).toBe(400);
    expect((await link(owner, wallet)).status).toBe(201);
  });

  it.each([
    ["another site", { domain: "evil.example" }],
    ["another address of the site", { uri: "https://evil.example" }],
    ["another chain", { chainId: 1 }],
    ["a message that is over", { expirationTime: new Date(Date.now() - 1_000) }],
    ["a message without an end", { expirationTime: undefined }],
    ["another sentence", { statement: "Claim your reward." }],
    ["a later end", { expirationTime: new Date(Date.now() + 86_400_000) }],
    ["a nonce that was never given", { nonce: "0123456789abcdef0123456789abcdef" }],
    ["another wallet", { address: "0x1111111111111111111111111111111111111111" }],
  ])("refuses %s", async (_what, change) => {
    const wallet = newWallet();
    const given = parseSiweMessage(await messageFor(owner, wallet));
    const message = createSiweMessage({ ...given, ...change } as Parameters<typeof createSiweMessage>[0]);
    const answer = await owner.call("POST", "/v1/billing/wallets", {
      message,
      signature: await wallet.signMessage({ message }),
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json.error.param).toBe("signature");
  });

  it("refuses a message of another account, or one for a log-in", async () => {
    const [wallet, other] = [newWallet(), await openMember(service)];
    const message = await messageFor(other, wallet);
    const signature = await wallet.signMessage({ message });
    expect((await owner.call("POST", "/v1/billing/wallets", { message, signature })).status).toBe(400);
    const { json } = await visitor("POST", "/v1/auth/wallet-options", { address: wallet.address });
    const signed = { message: json.message, signature: await wallet.signMessage({ message: json.message }) };
    expect((await owner.call("POST", "/v1/billing/wallets", signed)).status).toBe(400);
  });

  it("is for one account alone", async () => {
    const [wallet, other] = [newWallet(), await openMember(service)];
    expect((await link(owner, wallet)).status).toBe(201);
    expect((await link(owner, wallet, { name: "Renamed" })).json.name).toBe("Renamed");
    const answer = await link(other, wallet);
    expect(answer.status, answer.text).toBe(409);
    expect((await owner.call("DELETE", `/v1/billing/wallets/${wallet.address}`)).status).toBe(204);
    expect((await link(other, wallet)).status).toBe(201);
  });
});

describe("a service without a public address", () => {
  /** A request as another site passes it on, under its own name. */
  const passOn = (path: string, host: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host, origin: `http://${host}`, "content-type": "application/json" };
      const sent = request(`${service.url}${path}`, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on("error", reject);
      sent.end(JSON.stringify({ address: newWallet().address }));
    });

  it("writes messages for this machine alone, not for any site that a request names", async () => {
    const path = "/v1/auth/wallet-options";
    expect(await passOn(path, "evil.example")).toBe(409);
    expect(await passOn(path, "ev%il")).toBe(409);
    expect(await passOn(path, "localhost:8080")).toBe(200);
  });
});

describe("logging in by a wallet", () => {
  it("opens a session for the person who allowed it", async () => {
    const wallet = newWallet();
    expect((await link(owner, wallet, { log_in: true })).json.log_in).toBe(true);
    const answer = await logIn(wallet);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({ second_factor: false });
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("trunkline_session=")) ?? "";
    const session = await service.call("GET", "/v1/session", undefined, {
      key: null,
      headers: { cookie: cookie.split(";")[0] ?? "" },
    });
    expect(session.json).toMatchObject({ person: { email: owner.email }, features: { wallet: true } });
    const log = await owner.call("GET", "/v1/audit-log");
    expect(log.text).toContain("wallet.link");
  });

  it("is refused by one sentence for unknown wallets, and for wallets that only pay", async () => {
    const [unknown, paying] = [newWallet(), newWallet()];
    expect((await link(owner, paying)).status).toBe(201);
    const answers = [await logIn(unknown), await logIn(paying)];
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(401);
      expect(answer.json.error.type).toBe("invalid_login");
    }
    expect(answers[0]?.json.error.message).toBe(answers[1]?.json.error.message);
  });

  it("asks for the second factor where there is one", async () => {
    const [member, wallet] = [await openMember(service), newWallet()];
    expect((await link(member, wallet, { log_in: true })).status).toBe(201);
    await service.database.query("UPDATE people SET totp_confirmed_at = now(), sealed_totp = '' WHERE id = $1", [
      member.personId,
    ]);
    expect((await logIn(wallet)).json).toMatchObject({ second_factor: true, ticket: expect.any(String) });
  });

  it("takes a recent log-in to be allowed, and is no right of keys", async () => {
    const [member, wallet] = [await openMember(service), newWallet()];
    const message = await messageFor(member, wallet);
    const signature = await wallet.signMessage({ message });
    await service.database.query("UPDATE sessions SET created_at = now() - interval '1 hour' WHERE person_id = $1", [
      member.personId,
    ]);
    const answer = await member.call("POST", "/v1/billing/wallets", { message, signature, log_in: true });
    expect(answer.json.error.type).toBe("recent_login_needed");
    const byKey = await service.call("POST", "/v1/billing/wallets", { message, signature, log_in: true });
    expect(byKey.json.error).toMatchObject({ type: "invalid_request", param: "log_in" });
  });

  it("answers no page of another site", async () => {
    const answer = await service.call(
      "POST",
      "/v1/auth/wallet-options",
      { address: newWallet().address },
      { key: null, headers: { origin: "https://evil.example" } },
    );
    expect(answer.json.error.type).toBe("cross_site");
  });
});
