import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { BatchTrial, jsonLines, linesOf } from "../support/batch-trial.ts";
import { openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let trial: BatchTrial;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

beforeEach(async () => {
  trial = new BatchTrial(service, (await openCustomer(service, 10)).key);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

describe("files and batches", () => {
  it("belong to their account: others find nothing", async () => {
    const file = await trial.upload(jsonLines(linesOf(1)));
    const batch = await trial.create(jsonLines(linesOf(1)));
    const done = await trial.until(batch.json.id, "completed");
    const otherAccount = new BatchTrial(service, (await openCustomer(service, 1)).key);
    for (const [method, path] of [
      ["GET", `/v1/files/${file.json.id}`],
      ["GET", `/v1/files/${file.json.id}/content`],
      ["GET", `/v1/files/${done.output_file_id}/content`],
      ["DELETE", `/v1/files/${file.json.id}`],
      ["GET", `/v1/batches/${batch.json.id}`],
      ["POST", `/v1/batches/${batch.json.id}/cancel`],
      ["GET", "/v1/files/file-x"],
      ["GET", "/v1/batches/x"],
    ] as const)
      expectRefusal(await otherAccount.call(method, path), 404, "not_found");
    expect((await otherAccount.call("GET", "/v1/files")).json.data).toEqual([]);
    expect((await otherAccount.call("GET", "/v1/batches")).json).toMatchObject({ data: [], has_more: false });
    const foreign = { input_file_id: file.json.id, endpoint: "/v1/generate", completion_window: "24h" };
    expectRefusal(await otherAccount.call("POST", "/v1/batches", foreign), 400, "invalid_request", {
      param: "input_file_id",
    });
  });

  it("are listed in pages, newest first", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await trial.create(jsonLines(linesOf(1)))).json.id);
    const first = (await trial.call("GET", "/v1/batches?limit=2")).json;
    expect(first).toMatchObject({ object: "list", has_more: true, first_id: ids[0], last_id: ids[1] });
    const second = (await trial.call("GET", `/v1/batches?limit=2&after=${first.last_id}`)).json;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    expect(second.has_more).toBe(false);
    const files = (await trial.call("GET", "/v1/files?purpose=batch&limit=2")).json;
    expect(files.data).toHaveLength(2);
    expect(files.has_more).toBe(true);
    expectRefusal(await trial.call("GET", "/v1/batches?limit=0"), 400, "invalid_request", { param: "limit" });
    expectRefusal(await trial.call("GET", "/v1/batches?after=x"), 400, "invalid_request", { param: "after" });
  });

  it("are deleted, results with their file", async () => {
    const batch = await trial.create(jsonLines(linesOf(1)));
    const done = await trial.until(batch.json.id, "completed");
    const gone = await trial.call("DELETE", `/v1/files/${done.output_file_id}`);
    expect(gone.json).toEqual({ id: done.output_file_id, object: "file", deleted: true });
    expectRefusal(await trial.call("GET", `/v1/files/${done.output_file_id}/content`), 404, "not_found");
    expect((await trial.call("GET", `/v1/batches/${batch.json.id}`)).json.request_counts.completed).toBe(1);
  });

  it.each([
    ["endpoint", { endpoint: "/v1/stream" }],
    ["endpoint", { endpoint: "/v1/keys" }],
    ["completion_window", { completion_window: "1h" }],
    ["input_file_id", { input_file_id: "file-nothing" }],
    ["metadata", { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) }],
  ])("are refused for a wrong %s", async (param, change) => {
    const file = await trial.upload(jsonLines(linesOf(1)));
    const body = {
      input_file_id: file.json.id,
      endpoint: "/v1/generate",
      completion_window: "24h",
      ...change,
    };
    expectRefusal(await trial.call("POST", "/v1/batches", body), 400, "invalid_request", { param });
  });

  it("take no other bodies, and none that is too large", async () => {
    expectRefusal(await trial.call("POST", "/v1/files", { purpose: "batch" }), 415, "unsupported_media_type");
    expectRefusal(await trial.upload(""), 400, "invalid_request", { param: "file" });
    const limit = service.services.config.limits.attachmentBodyBytes;
    expectRefusal(await trial.upload("x".repeat(limit + 1)), 413, "payload_too_large");
    const reader = await openCustomer(service, 1, { scopes: ["read"] });
    expectRefusal(await service.call("GET", "/v1/batches", undefined, { key: reader.key }), 403, "insufficient_scope");
  });

  it("are limited: a fixed number of batches may be under way", async () => {
    const poor = new BatchTrial(service, (await openCustomer(service, 0)).key);
    const { json } = await poor.create(jsonLines(linesOf(1)));
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    // They wait, so that none ends meanwhile.
    await database.query(
      `INSERT INTO batches (id, account_id, key_id, address, endpoint, input_file_id, output_file_id, error_file_id,
         status, created_at, expires_at, not_before)
       SELECT gen_random_uuid(), account_id, key_id, address, endpoint, input_file_id, gen_random_uuid(), gen_random_uuid(),
         'in_progress', created_at, expires_at, now() + interval '1 day'
       FROM batches, generate_series(1, 50) WHERE id = $1`,
      [json.id.replace("batch_", "")],
    );
    await database.close();
    expectRefusal(await poor.create(jsonLines(linesOf(1))), 409, "conflict", { message: /50 batches/ });
  });
});
