import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { sealLedger } from "../../src/store/ledger/seal-ledger.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let owner: Customer;
let client: Customer;

// Ten tokens in and twenty out, at a thousandth and two thousandths of a credit for a thousand of them.
const COST = 0.00005;

beforeAll(async () => {
  service = await startService((config) => ({ ...config, payouts: { ...config.payouts, minimumCredits: 0.00004 } }));
  provider = await startProvider();
  owner = await openCustomer(service, 0);
  client = await openCustomer(service, 10);
  await registerAsOtherAccount(service, owner, registrationOf(provider, "one"), "active");
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const read = (path: string, key = owner.key) => service.call("GET", path, undefined, { key });
const asOwner = (method: string, path: string, body?: unknown) => service.call(method, path, body, { key: owner.key });
const asOperator = (method: string, path: string, body?: unknown) => service.call(method, path, body);

/** A request for the provider's model, and the job that books what it earned. */
async function earn(): Promise<void> {
  const body = { input: "Say something.", model: `${owner.provider}/one` };
  const answer = await service.call("POST", "/v1/generate", body, { key: client.key });
  expect(answer.status, answer.text).toBe(200);
  const database = openDatabase(service.address, () => undefined);
  await sealLedger(database);
  await database.close();
  await service.services.ledger.providerEarnings.collect(service.services.config.payouts.feePpm);
}

async function requestPayout(body: unknown = {}): Promise<string> {
  const answer = await asOwner("POST", "/v1/provider/payouts", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json.id;
}

describe("what a provider earns", () => {
  it("is nothing at first, and what clients paid less the fee later", async () => {
    const before = await read("/v1/provider/earnings");
    expect(before.status, before.text).toBe(200);
    expect(before.json).toEqual({
      payable: 0,
      pending: 0,
      paid: 0,
      fee_percent: 10,
      minimum_payout: 0.00004,
      methods: ["bank"],
      destination: null,
      this_month: { requests: 0, gross: 0, fee: 0, net: 0, models: [] },
    });
    await earn();
    const sums = { requests: 1, gross: COST, fee: 0.000005, net: 0.000045 };
    expect((await read("/v1/provider/earnings")).json).toMatchObject({
      payable: 0.000045,
      this_month: { ...sums, models: [{ model: `${owner.provider}/one`, ...sums }] },
    });
    // Another account sees nothing of it.
    expect((await read("/v1/provider/earnings", client.key)).json).toMatchObject({ payable: 0 });
  });

  it("is told month by month, also as CSV", async () => {
    const list = await read("/v1/provider/statements");
    const [month] = list.json.data;
    expect(month).toMatchObject({ opening: 0, net: 0.000045, paid: 0, closing: 0.000045 });
    const one = await read(`/v1/provider/statements/${month.month}`);
    expect(one.json).toMatchObject({ ...month, by_model: [{ requests: 1, net: 0.000045 }], payouts: [] });
    const csv = await service.call("GET", "/v1/provider/statements", undefined, {
      key: owner.key,
      headers: { accept: "text/csv" },
    });
    expect(csv.text).toBe(
      `month,opening,requests,gross,fee,net,paid,closing\r\n${month.month},0,1,0.00005,0.000005,0.000045,0,0.000045\r\n`,
    );
    expectRefusal(await read("/v1/provider/statements/1999-01"), 404, "not_found");
    expectRefusal(await read("/v1/provider/statements/2026-13"), 404, "not_found");
  });
});

describe("a payout", () => {
  it("is refused without a destination, in a way that the service does not pay, and below the minimum", async () => {
    expectRefusal(await asOwner("POST", "/v1/provider/payouts", {}), 409, "conflict");
    const token = { method: "token", destination: "0x0000000000000000000000000000000000000001" };
    expectRefusal(await asOwner("PUT", "/v1/provider/payout-destination", token), 400, "invalid_request", {
      param: "method",
    });
    const short = { method: "bank", destination: "x" };
    expectRefusal(await asOwner("PUT", "/v1/provider/payout-destination", short), 400, "invalid_request", {
      param: "destination",
    });
    const set = await asOwner("PUT", "/v1/provider/payout-destination", { method: "bank", destination: "DE00 1234" });
    expect(set.json.destination).toMatchObject({ method: "bank", destination: "DE00 1234" });
    for (const amount of [0.00003, 1]) {
      expectRefusal(await asOwner("POST", "/v1/provider/payouts", { amount }), 409, "conflict", { param: "amount" });
    }
  });

  it("can be cancelled until it is approved", async () => {
    const id = await requestPayout();
    expectRefusal(await asOwner("POST", "/v1/provider/payouts", {}), 409, "conflict");
    const cancel = (key: string) => service.call("DELETE", `/v1/provider/payouts/${id}`, undefined, { key });
    expectRefusal(await cancel(client.key), 404, "not_found");
    expect((await cancel(owner.key)).json).toMatchObject({ state: "failed" });
    expect((await cancel(owner.key)).json).toMatchObject({ state: "failed" });
    expect((await read("/v1/provider/earnings")).json).toMatchObject({ payable: 0.000045, pending: 0 });
    expectRefusal(await asOperator("POST", `/v1/admin/payouts/${id}/approve`), 409, "conflict");
  });

  it("is approved, exported and marked as paid once, by its reference", async () => {
    const id = await requestPayout({ amount: 0.00004 });
    const path = `/v1/admin/payouts/${id}`;
    expectRefusal(await asOperator("POST", `${path}/paid`, { reference: "B-1" }), 409, "conflict");
    expect((await asOperator("POST", `${path}/approve`)).json).toMatchObject({
      state: "approved",
      account: "Customer",
    });
    expect((await asOperator("POST", `${path}/approve`)).json).toMatchObject({ state: "approved" });
    expectRefusal(await asOwner("DELETE", `/v1/provider/payouts/${id}`), 409, "conflict");
    const csv = await service.call("GET", "/v1/admin/payouts?state=approved", undefined, {
      headers: { accept: "text/csv" },
    });
    expect(csv.text.split("\r\n")[1]).toMatch(`${id},Customer,${owner.id},0.00004,bank,DE00 1234,approved,,`);
    const paid = await asOperator("POST", `${path}/paid`, { reference: "B-1" });
    expect(paid.json).toMatchObject({ state: "sent", reference: "B-1", amount: 0.00004 });
    expect((await asOperator("POST", `${path}/paid`, { reference: "B-1" })).json).toEqual(paid.json);
    expectRefusal(await asOperator("POST", `${path}/paid`, { reference: "B-2" }), 409, "conflict");
    expectRefusal(await asOperator("POST", `${path}/fail`, { reason: "No." }), 409, "conflict");
    expect((await read("/v1/provider/earnings")).json).toMatchObject({ payable: 0.000005, pending: 0, paid: 0.00004 });
    const [newest] = (await read("/v1/provider/payouts")).json.data;
    expect(newest).toMatchObject({ id, state: "sent", reference: "B-1" });
    expect(newest).not.toHaveProperty("account_id");
  });

  it("that the operator refuses is owed again, with the reason", async () => {
    await earn();
    const id = await requestPayout();
    const failed = await asOperator("POST", `/v1/admin/payouts/${id}/fail`, { reason: "The IBAN is wrong." });
    expect(failed.json).toMatchObject({ state: "failed", reference: "The IBAN is wrong." });
    expect((await read("/v1/provider/earnings")).json).toMatchObject({ payable: 0.00005, pending: 0 });
    const list = await asOperator("GET", "/v1/admin/payouts?state=failed");
    expect(list.json.data[0]).toMatchObject({ id, account_id: owner.id });
  });
});

describe("a provider's fee", () => {
  it("is agreed on by the operator, and holds for what is booked from then on", async () => {
    const path = `/v1/admin/providers/${owner.id}/fee`;
    expectRefusal(await asOperator("PUT", path, { fee_percent: 101 }), 400, "invalid_request", {
      param: "fee_percent",
    });
    expectRefusal(await asOperator("PUT", path, { fee_percent: 0.00001 }), 400, "invalid_request", {
      param: "fee_percent",
    });
    expectRefusal(await asOperator("PUT", "/v1/admin/providers/none/fee", { fee_percent: 1 }), 404, "not_found");
    const changed = await asOperator("PUT", path, { fee_percent: 50 });
    expect(changed.json).toMatchObject({ fee_percent: 50, fee_agreed: true, payable: 0.00005 });
    await earn();
    const { json } = await asOperator("GET", "/v1/admin/providers/earnings");
    expect(json.data).toMatchObject([{ id: owner.id, payable: 0.000075, paid: 0.00004, method: "bank" }]);
    expect((await asOperator("PUT", path, { fee_percent: null })).json).toMatchObject({ fee_percent: 10 });
  });
});
