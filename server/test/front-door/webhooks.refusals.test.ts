import { newId } from "@trunkline/core/id.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { PUBLIC_URL } from "../support/webhook-trial.ts";

let service: StartedService;
let owner: Customer;
let otherAccount: Customer;
let id: string;

beforeAll(async () => {
  service = await startService();
  owner = await openCustomer(service, 0);
  otherAccount = await openCustomer(service, 0);
  id = (await service.call("POST", "/v1/webhooks", { url: PUBLIC_URL }, { key: owner.key })).json.id;
});

afterAll(async () => {
  // Nothing that was refused has left a trace.
  const { data } = (await service.call("GET", "/v1/webhooks", undefined, { key: owner.key })).json;
  expect(data).toEqual([expect.objectContaining({ id, url: PUBLIC_URL, events: null, description: "" })]);
  await service.stop();
});

const create = (body: unknown, key = owner.key) => service.call("POST", "/v1/webhooks", body, { key });
const change = (body: unknown, key = owner.key) => service.call("PATCH", `/v1/webhooks/${id}`, body, { key });

const OPERATIONS = [
  ["GET", ""],
  ["PATCH", ""],
  ["POST", "/rotate"],
  ["POST", "/test"],
  ["GET", "/deliveries"],
  ["DELETE", ""],
] as const;

describe("a URL that may not be called", () => {
  it.each([
    ["no URL at all", "hook"],
    ["nothing", ""],
    ["a space in it", "https://example.com/a b"],
    ["plain http", "http://93.184.215.14/hook"],
    ["another scheme", "ftp://93.184.215.14/hook"],
    ["a password in it", "https://user:secret@93.184.215.14/hook"],
    ["a fragment", "https://93.184.215.14/hook#part"],
    ["this machine", "https://127.0.0.1/hook"],
    ["this machine, written oddly", "https://0x7f.1/hook"],
    ["this machine by its name", "https://localhost/hook"],
    ["a private network", "https://10.0.0.1/hook"],
    ["a cloud's own address", "https://169.254.169.254/latest"],
    ["this machine in IPv6", "https://[::1]/hook"],
    ["a private address inside IPv6", "https://[::ffff:10.0.0.1]/hook"],
    ["a name that leads nowhere", "https://nowhere.invalid/hook"],
  ])("is refused: %s", async (_what, url) => {
    expectRefusal(await create({ url }), 400, "invalid_request", { param: "url" });
    expectRefusal(await change({ url }), 400, "invalid_request", { param: "url" });
  });

  it("is refused to the operator too where it is no URL, and allowed where it is only private", async () => {
    for (const url of ["hook", "ftp://127.0.0.1/hook", "http://user@127.0.0.1/"]) {
      const answer = await service.call("POST", "/v1/webhooks", { url });
      expectRefusal(answer, 400, "invalid_request", { param: "url" });
    }
    const answer = await service.call("POST", "/v1/webhooks", { url: "http://10.0.0.1:8080/hook" });
    expect(answer.status, answer.text).toBe(201);
    await service.call("DELETE", `/v1/webhooks/${answer.json.id}`);
  });

  it("stays refused to a key of the operator's account that is no operator's key", async () => {
    const key = await service.call("POST", "/v1/keys", { name: "manager", scopes: ["manage"] });
    const answer = await create({ url: "http://127.0.0.1/hook" }, key.json.key);
    expectRefusal(answer, 400, "invalid_request", { param: "url" });
  });
});

describe("a webhook with a wrong field", () => {
  it.each<[string, Record<string, unknown>]>([
    ["url", { url: undefined }],
    ["url", { url: null }],
    ["url", { url: 5 }],
    ["url", { url: `https://93.184.215.14/${"x".repeat(2_048)}` }],
    ["url", { url: "https://93.184.215.14/\u0000" }],
    ["events", { events: "balance.low" }],
    ["events", { events: [] }],
    ["events[0]", { events: ["balance.high"] }],
    ["events[1]", { events: ["balance.low", "webhook.test"] }],
    ["events[0]", { events: [null] }],
    ["description", { description: 5 }],
    ["description", { description: "x".repeat(257) }],
    ["description", { description: "a\u0000b" }],
  ])("is not made: %s as %o", async (param, more) => {
    expectRefusal(await create({ url: PUBLIC_URL, ...more }), 400, "invalid_request", { param });
  });

  it("names the events that there are", async () => {
    expectRefusal(await create({ url: PUBLIC_URL, events: ["nothing"] }), 400, "invalid_request", {
      param: "events[0]",
      message:
        /one of: budget\.threshold, balance\.low, balance\.exhausted, balance\.restored, batch\.completed, batch\.failed, batch\.expired, batch\.cancelled, model\.out_of_service, model\.back_in_service, model\.price_rise, auto_top_up\.stopped\.$/,
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["url", { url: null }],
    ["events", { events: [] }],
    ["events[0]", { events: ["nothing"] }],
    ["description", { description: null }],
    ["enabled", { enabled: "yes" }],
    ["enabled", { enabled: null }],
  ])("is not changed: %s as %o", async (param, body) => {
    expectRefusal(await change(body), 400, "invalid_request", { param });
  });

  it("is not rotated with a wrong grace", async () => {
    for (const grace of [-1, 1.5, "1", 30 * 86_400 + 1]) {
      const answer = await service.call(
        "POST",
        `/v1/webhooks/${id}/rotate`,
        { grace_seconds: grace },
        { key: owner.key },
      );
      expectRefusal(answer, 400, "invalid_request", { param: "grace_seconds" });
    }
  });

  it("is not listed by a wrong page, nor are its deliveries", async () => {
    for (const path of ["/v1/webhooks", `/v1/webhooks/${id}/deliveries`]) {
      for (const [param, query] of [
        ["limit", "limit=0"],
        ["limit", "limit=101"],
        ["cursor", "cursor=x"],
      ] as const) {
        const answer = await service.call("GET", `${path}?${query}`, undefined, { key: owner.key });
        expectRefusal(answer, 400, "invalid_request", { param });
      }
    }
  });
});

describe.each(OPERATIONS)("%s /v1/webhooks/{id}%s", (method, path) => {
  const visit = (webhook: string, key: string | null) =>
    service.call(method, `/v1/webhooks/${webhook}${path}`, method === "PATCH" ? {} : undefined, { key });

  it("answers for another's webhook as for one that does not exist, or can't", async () => {
    const answers = await Promise.all(
      [id, newId(), "nonsense", "%27%20OR%201=1"].map((webhook) => visit(webhook, otherAccount.key)),
    );
    for (const answer of answers)
      expectRefusal(answer, 404, "not_found", { message: /no such webhook.*GET \/v1\/webhooks/ });
  });

  it("needs a key, and one with the scope manage", async () => {
    expectRefusal(await visit(id, null), 401, "missing_api_key");
    const weak = await openCustomer(service, 0, { scopes: ["inference", "read", "provider"] });
    expectRefusal(await visit(id, weak.key), 403, "insufficient_scope", { message: /`manage`/ });
  });
});

describe("/v1/webhooks", () => {
  it("needs a key, and one with the scope manage", async () => {
    const weak = await openCustomer(service, 0, { scopes: ["inference", "read", "provider"] });
    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? { url: PUBLIC_URL } : undefined;
      const visit = (key: string | null) => service.call(method, "/v1/webhooks", body, { key });
      expectRefusal(await visit(null), 401, "missing_api_key");
      expectRefusal(await visit(weak.key), 403, "insufficient_scope", { message: /`manage`/ });
    }
  });
});
