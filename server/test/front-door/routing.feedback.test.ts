import { systemClock } from "@trunkline/core/clock.ts";
import { firstIdAt, newId } from "@trunkline/core/id.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;
/** By so much the service lives later than the world. */
let laterMs = 0;

beforeAll(async () => {
  service = await startService(undefined, undefined, {
    now: () => systemClock.now() + laterMs,
    monotonicMs: () => systemClock.monotonicMs(),
  });
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

beforeEach(async () => {
  laterMs = 0;
  provider.script = answerPlainly;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const ask = async (more: Record<string, unknown> = {}) => {
  const body = { task: "chat", input: "Hello", model: "plain", ...more };
  const answer = await service.call("POST", "/v1/ai/request", body, { key: customer.key });
  return answer.headers.get("x-request-id") ?? "";
};
const give = (id: string, body: unknown, key = customer.key) =>
  service.call("POST", `/v1/requests/${id}/feedback`, body, { key });
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call("GET", path, undefined, { key: customer.key, headers });

describe("POST /v1/requests/{id}/feedback", () => {
  it("is kept with the request, and shown with it; the last word counts", async () => {
    const id = await ask();
    expect((await get(`/v1/requests/${id}`)).json.feedback).toBeUndefined();
    const first = await give(id, { score: -0.5, comment: "  Too long.  " });
    expect(first).toMatchObject({ status: 200, json: { score: -0.5, comment: "Too long." } });
    expect((await get(`/v1/requests/${id}`)).json.feedback).toEqual(first.json);
    const last = await give(id, { score: 1 });
    expect(Object.keys(last.json).sort()).toEqual(["at", "score"]);
    expect((await get(`/v1/requests/${id}`)).json.feedback).toEqual(last.json);
  });

  it("finds requests by it", async () => {
    const [good, bad, none] = [await ask(), await ask(), await ask()];
    await give(good, { score: 0.1 });
    await give(bad, { score: -0.1 });
    const found = async (feedback: string) =>
      (await get(`/v1/requests?feedback=${feedback}`)).json.data.map(({ id }: { id: string }) => id);
    expect(await found("any")).toEqual([bad, good]);
    expect(await found("good")).toEqual([good]);
    expect(await found("bad")).toEqual([bad]);
    expect((await get("/v1/requests")).json.data).toHaveLength([good, bad, none].length);
    expectRefusal(await get("/v1/requests?feedback=great"), 400, "invalid_request", { param: "feedback" });
  });

  it("refuses scores and comments that are none", async () => {
    const id = await ask();
    for (const [body, param] of [
      [{}, "score"],
      [{ score: 1.5 }, "score"],
      [{ score: "good" }, "score"],
      [{ score: null }, "score"],
      [{ score: 1, comment: "x".repeat(1_001) }, "comment"],
      [{ score: 1, comment: 7 }, "comment"],
      [{ score: 1, comment: "\0" }, "comment"],
    ] as const)
      expectRefusal(await give(id, body), 400, "invalid_request", { param });
    expect((await give(id, { score: 1, comment: "x".repeat(1_000) })).status).toBe(200);
  });

  it("knows nothing of others' requests, exactly as of those that never were", async () => {
    const id = await ask();
    const otherAccount = await openCustomer(service, 0);
    const answers = await Promise.all(
      [id, newId(), "nonsense"].map((each) => give(each, { score: -1 }, otherAccount.key)),
    );
    for (const answer of answers) expectRefusal(answer, 404, "not_found");
    expect(new Set(answers.map(({ json }) => json.error.message)).size).toBe(1);
    expect((await get(`/v1/requests/${id}`)).json.feedback).toBeUndefined();
  });

  it("has nothing to say of what no model answered", async () => {
    provider.script = (response) => {
      response.statusCode = 500;
      response.end();
    };
    const failed = await ask();
    expectRefusal(await give(failed, { score: -1 }), 409, "conflict", { message: /No model answered/ });
    const refused = await ask({ model: "nowhere" });
    // A refusal is put on record behind the answer's back.
    await service.services.ledger.settlementWriter.idle();
    expectRefusal(await give(refused, { score: -1 }), 409, "conflict");
  });

  it("is taken for 30 days", async () => {
    const id = await ask();
    laterMs = 29 * 24 * 3_600_000;
    expect((await give(id, { score: 1 })).status).toBe(200);
    laterMs = 31 * 24 * 3_600_000;
    expectRefusal(await give(id, { score: -1 }), 409, "conflict", { message: /30 days/ });
    laterMs = 0;
    expect((await get(`/v1/requests/${id}`)).json.feedback).toMatchObject({ score: 1 });
  });

  it("needs a key that may ask", async () => {
    const id = await ask();
    const reader = await openCustomer(service, 0, { scopes: ["read", "manage"] });
    expectRefusal(await give(id, { score: 1 }, reader.key), 403, "insufficient_scope");
  });
});

describe("GET /v1/routing/outcomes", () => {
  it("lists every outcome that was counted, in pages, and as CSV", async () => {
    const ids: string[] = [];
    for (const score of [1, 0, -1]) {
      const id = await ask({ input: `Asked for ${score}` });
      await give(id, { score });
      ids.unshift(id);
    }
    const first = await get("/v1/routing/outcomes?limit=2");
    expect(first.json.data[0]).toEqual({
      request_id: ids[0],
      created_at: expect.any(String),
      model: "operator/plain",
      domain: expect.any(String),
      propensity: 1,
      predicted_quality: expect.any(Number),
      outcome: 0,
      weight: 3,
      source: "feedback",
      noted_at: expect.any(String),
    });
    const second = await get(`/v1/routing/outcomes?limit=2&cursor=${first.json.next_cursor}`);
    const seen = [...first.json.data, ...second.json.data];
    expect(seen.map((one) => [one.request_id, one.outcome])).toEqual([
      [ids[0], 0],
      [ids[1], 0.5],
      [ids[2], 1],
    ]);
    expect(second.json.next_cursor).toBeNull();
    const csv = await get("/v1/routing/outcomes", { accept: "text/csv" });
    expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
    const [header, ...lines] = csv.text.trim().split("\r\n");
    expect(header).toBe(
      "request_id,created_at,model,domain,propensity,predicted_quality,outcome,weight,source,noted_at",
    );
    expect(lines).toHaveLength(3);
    const none = await get("/v1/routing/outcomes?to=2020-01-01");
    expect(none.json).toEqual({ data: [], next_cursor: null });
  });

  it("refuses invalid cursors, and shows nothing of other accounts", async () => {
    for (const cursor of ["x", firstIdAt(0), `${newId()}.rumour.a/b`])
      expectRefusal(await get(`/v1/routing/outcomes?cursor=${cursor}`), 400, "invalid_request", {
        param: "cursor",
      });
    await give(await ask(), { score: 1 });
    const otherAccount = await openCustomer(service, 0);
    const others = await service.call("GET", "/v1/routing/outcomes", undefined, { key: otherAccount.key });
    expect(others.json.data).toEqual([]);
  });
});

describe("PUT /v1/routing/learning", () => {
  it("refuses what is neither on nor frozen, and keys that may not manage", async () => {
    const put = (body: unknown, key = customer.key) => service.call("PUT", "/v1/routing/learning", body, { key });
    expectRefusal(await put({ learning: "off" }), 400, "invalid_request", { param: "learning" });
    expectRefusal(await put({}), 400, "invalid_request", { param: "learning" });
    const reader = await openCustomer(service, 0, { scopes: ["read", "inference"] });
    expectRefusal(await put({ learning: "frozen" }, reader.key), 403, "insufficient_scope");
  });
});
