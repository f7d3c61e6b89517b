import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { isSignedWith } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { BatchTrial, jsonLines, linesOf } from "../support/batch-trial.ts";
import { openCustomer } from "../support/customer.ts";
import { startWebhookTrial, type WebhookTrial } from "../support/webhook-trial.ts";

let trial: WebhookTrial;
let provider: ScriptedProvider;

beforeAll(async () => {
  trial = await startWebhookTrial();
  provider = await startProvider(answerPlainly);
  await trial.service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  const odd = registrationOf(provider, "odd", {
    batch_discount: 0.3333,
    pricing: {
      input_per_1k_tokens: 0.000000007,
      output_per_1k_tokens: 0.001000001,
      per_request: 0.000000001,
    },
  });
  await trial.service.call("POST", "/v1/provider/models", odd);
});

afterEach(() => {
  trial.receiver.events.length = 0;
});

afterAll(async () => {
  await trial.stop();
  await provider.stop();
});

/** A customer with a webhook for the ends of batches. */
async function openListener(amount: number) {
  const customer = await openCustomer(trial.service, amount);
  const events = ["batch.completed", "batch.failed", "batch.expired", "batch.cancelled"];
  const { secret } = await trial.listenAs(customer, { events });
  return { batches: new BatchTrial(trial.service, customer.key), secret };
}

describe("the end of a batch", () => {
  it("is sent to the account's webhooks, signed, once it can be read", async () => {
    const { batches, secret } = await openListener(1);
    const { json } = await batches.create(jsonLines(linesOf(3)));
    await expect.poll(() => trial.receiver.types()).toEqual(["batch.completed"]);
    const [event] = trial.receiver.events;
    expect(event && isSignedWith(secret, event)).toBe(true);
    expect(event?.json.data.batch).toEqual((await batches.call("GET", `/v1/batches/${json.id}`)).json);
    expect(event?.json.data.batch).toMatchObject({ status: "completed", request_counts: { completed: 3 } });
  });

  it("is sent also where its file was invalid", async () => {
    const { batches } = await openListener(1);
    await batches.create("no json");
    await expect.poll(() => trial.receiver.types()).toEqual(["batch.failed"]);
    expect(trial.receiver.events[0]?.json.data.batch.errors.data[0]).toMatchObject({ line: 1 });
  });

  it("comes when the window is over: what was not run is marked so, and can be read", async () => {
    const { batches } = await openListener(0);
    const { json } = await batches.create(jsonLines(linesOf(3)));
    const refused = async () => (await batches.call("GET", "/v1/requests?status=402")).json.data.length;
    await expect.poll(refused).toBeGreaterThan(0);
    await trial.database.query(
      "UPDATE batches SET expires_at = now() - interval '1 second', not_before = '-infinity' WHERE id = $1",
      [json.id.slice("batch_".length)],
    );
    await expect.poll(() => trial.receiver.types()).toEqual(["batch.expired"]);
    const over = (await batches.call("GET", `/v1/batches/${json.id}`)).json;
    expect(over).toMatchObject({ status: "expired", request_counts: { total: 3, completed: 0, failed: 3 } });
    const errors = await batches.results(over.error_file_id);
    expect(errors.map(({ custom_id, error }) => [custom_id, error.code])).toEqual([
      ["line-1", "batch_expired"],
      ["line-2", "batch_expired"],
      ["line-3", "batch_expired"],
    ]);
  });
});

describe("a price less an odd discount", () => {
  it("is charged to the nano-credit, and the audit reckons the same", async () => {
    const { batches } = await openListener(1);
    const { json } = await batches.create(jsonLines(linesOf(3, "odd")));
    const done = await batches.until(json.id, "completed");
    const [result] = await batches.results(done.output_file_id);
    const record = await batches.call("GET", `/v1/requests/${result.response.request_id}`);
    // 0.6667 of each price, rounded up: 4,667 and 666,700,667 nano-credits for a million tokens, and 1 for the request.
    expect(record.json.cost).toBe(Math.ceil((10 * 4_667 + 20 * 666_700_667) / 1e6 + 1) / 1e9);
    expect(record.json.discount).toBe(0.3333);
    const { findings } = await auditLedger(trial.database);
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
    await trial.database.query("UPDATE requests SET discount = 0 WHERE id = $1", [result.response.request_id]);
    const after = await auditLedger(trial.database);
    expect(after.findings.filter(({ verdict }) => verdict === "broken").map(({ check }) => check)).toEqual(["prices"]);
  });
});

describe("what is old", () => {
  it("is swept: files after 30 days, batches with their results a day later", async () => {
    const { batches } = await openListener(1);
    const { json } = await batches.create(jsonLines(linesOf(1)));
    const done = await batches.until(json.id, "completed");
    await trial.database.query("UPDATE files SET expires_at = now() - interval '1 second'");
    await trial.database.query("UPDATE batches SET created_at = now() - interval '32 days'");
    await trial.service.services.batching.batches.sweep();
    expect((await batches.call("GET", `/v1/files/${done.output_file_id}`)).status).toBe(404);
    expect((await batches.call("GET", `/v1/batches/${json.id}`)).status).toBe(404);
    expect(await trial.database.query("SELECT 1 FROM batch_lines LIMIT 1")).toEqual([]);
  });
});
