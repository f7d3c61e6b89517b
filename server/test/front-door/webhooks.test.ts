import { answerWith, isSignedWith, takeIt } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { PUBLIC_URL, startWebhookTrial, type WebhookTrial } from "../support/webhook-trial.ts";

let trial: WebhookTrial;

beforeAll(async () => {
  trial = await startWebhookTrial();
});

afterEach(() => {
  trial.receiver.answer = takeIt;
  trial.receiver.events.length = 0;
});

afterAll(() => trial.stop());

const call = (method: string, path: string, body?: unknown, key?: string) =>
  trial.service.call(method, path, body, key === undefined ? {} : { key });

const SHOWN = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  events: null,
  description: "",
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  old_secret_ends_at: null,
  created_at: expect.stringMatching(/^\d{4}-/),
};

describe("a webhook's life", () => {
  it("begins with a secret that is shown once and stored encrypted", async () => {
    const made = await call("POST", "/v1/webhooks", { url: trial.receiver.url });
    expect(made.status, made.text).toBe(201);
    const { secret, ...shown } = made.json;
    expect(shown).toEqual({ ...SHOWN, url: trial.receiver.url });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await call("GET", `/v1/webhooks/${made.json.id}`);
    expect(read.json).toEqual(shown);
    expect(trial.service.logged()).not.toContain(secret);
    const rows = await trial.database.query<{ kept: string }>(
      "SELECT encode(sealed_secret, 'escape') AS kept FROM webhooks WHERE id = $1",
      [made.json.id],
    );
    expect(rows[0]?.kept).not.toContain(secret.slice(6, 20));
  });

  it("can be for some events, and changes only in what was said", async () => {
    const made = await call("POST", "/v1/webhooks", {
      url: PUBLIC_URL,
      events: ["balance.low", "balance.exhausted"],
      description: "Ünïcode",
    });
    const path = `/v1/webhooks/${made.json.id}`;
    const { secret: _, ...first } = made.json;
    expect(first).toMatchObject({ events: ["balance.low", "balance.exhausted"], description: "Ünïcode" });
    const changes = [
      [{}, {}],
      [{ description: "" }, { description: "" }],
      [{ url: trial.receiver.url }, { url: trial.receiver.url }],
      [{ events: ["budget.threshold"] }, { events: ["budget.threshold"] }],
      [{ events: null }, { events: null }],
      [{ enabled: false }, { enabled: false }],
      [{ enabled: true, unknown: 1 }, { enabled: true }],
    ];
    let expected = first;
    for (const [said, different] of changes) {
      expected = { ...expected, ...different };
      const answer = await call("PATCH", path, said);
      expect(answer.status, answer.text).toBe(200);
      // Another origin has a secret of its own.
      const { secret: _moved, ...changed } = answer.json;
      expect(changed).toEqual(expected);
      expect((await call("GET", path)).json).toEqual(expected);
    }
  });

  it("is listed newest first, page by page, among the account's own alone", async () => {
    const customer = await openCustomer(trial.service, 0);
    const made = [];
    for (let place = 0; place < 3; place++) {
      made.unshift((await call("POST", "/v1/webhooks", { url: PUBLIC_URL }, customer.key)).json.id);
    }
    const first = await call("GET", "/v1/webhooks?limit=2", undefined, customer.key);
    expect(first.json.data.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2));
    const second = await call("GET", `/v1/webhooks?limit=2&cursor=${first.json.next_cursor}`, undefined, customer.key);
    expect(second.json.data.map(({ id }: { id: string }) => id)).toEqual(made.slice(2));
    expect(second.json.next_cursor).toBeNull();
    expect(first.text).not.toContain("whsec_");
  });

  it("ends with everything that belongs to it", async () => {
    const { id } = await trial.listen();
    await call("POST", `/v1/webhooks/${id}/test`);
    expect((await call("DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["GET", "/deliveries"],
    ] as const) {
      expect((await call(method, `/v1/webhooks/${id}${path}`)).status).toBe(404);
    }
  });

  it("allows ten per account, however many are asked for at once", async () => {
    const customer = await openCustomer(trial.service, 0);
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => call("POST", "/v1/webhooks", { url: PUBLIC_URL }, customer.key)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    expect(answers.find(({ status }) => status === 409)?.json.error).toMatchObject({
      type: "conflict",
      message: "An account has at most 10 webhooks. Delete one first.",
    });
    const { data } = (await call("GET", "/v1/webhooks", undefined, customer.key)).json;
    expect(data).toHaveLength(10);
    await call("DELETE", `/v1/webhooks/${data[0].id}`, undefined, customer.key);
    expect((await call("POST", "/v1/webhooks", { url: PUBLIC_URL }, customer.key)).status).toBe(201);
  });
});

describe("a test of a webhook", () => {
  it("sends an event now, signed by the convention, and tells what the endpoint said", async () => {
    const { id, secret } = await trial.listen();
    trial.receiver.answer = (response) => void response.writeHead(202).end("Thank you.");
    const answer = await call("POST", `/v1/webhooks/${id}/test`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      delivered: true,
      status: 202,
      error: null,
      response: "Thank you.",
      latency_ms: expect.any(Number),
    });
    const [event] = trial.receiver.events;
    if (event === undefined) throw new Error("Nothing came.");
    expect(isSignedWith(secret, event)).toBe(true);
    expect(isSignedWith("whsec_c29tZWJvZHkgZWxzZQ==", event)).toBe(false);
    expect(isSignedWith(secret, { ...event, body: event.body.replace("test", "best") })).toBe(false);
    expect(event.headers).toMatchObject({ "content-type": "application/json", "webhook-id": event.json.id });
    expect(event.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: "webhook.test",
      created_at: expect.stringMatching(/Z$/),
      data: { webhook_id: id },
    });
  });

  it("tells of a refusal, a redirect and a silence, and shows no more than the beginning", async () => {
    const { id } = await trial.listen();
    const test = async () => (await call("POST", `/v1/webhooks/${id}/test`)).json;
    trial.receiver.answer = answerWith(500);
    expect(await test()).toMatchObject({
      delivered: false,
      status: 500,
      error: "answered 500",
      response: "",
    });
    trial.receiver.answer = (response) => void response.writeHead(302, { location: trial.receiver.url }).end();
    expect(await test()).toMatchObject({ delivered: false, status: 302, error: "answered 302" });
    expect(trial.receiver.events).toHaveLength(2);
    trial.receiver.answer = (response) => void response.end("x".repeat(5_000_000));
    expect(await test()).toMatchObject({ delivered: true, status: 200, response: "x".repeat(1_024) });
    trial.receiver.answer = (response) => void response.destroy();
    const broken = await test();
    expect(broken).toMatchObject({ delivered: false, status: null, response: "" });
    expect(broken.error).toMatch(/closed the connection/);
  });

  it("can be made where it is switched off, is listed, and is never repeated", async () => {
    const { id } = await trial.listen({ events: ["balance.low"] });
    await call("PATCH", `/v1/webhooks/${id}`, { enabled: false });
    trial.receiver.answer = answerWith(503);
    await call("POST", `/v1/webhooks/${id}/test`);
    const { data } = (await call("GET", `/v1/webhooks/${id}/deliveries`)).json;
    expect(data).toEqual([
      {
        id: expect.any(String),
        event_id: trial.receiver.events[0]?.json.id,
        type: "webhook.test",
        attempts: 1,
        last_attempt_at: expect.any(String),
        last_status: 503,
        last_error: "answered 503",
        next_attempt_at: null,
        delivered_at: null,
        created_at: expect.any(String),
      },
    ]);
    expect((await call("GET", `/v1/webhooks/${id}`)).json).toMatchObject({ failing_since: null });
  });
});

describe("a webhook's rotation", () => {
  let customer: Customer;
  beforeAll(async () => {
    customer = await openCustomer(trial.service, 0);
  });

  const rotate = (id: string, body?: unknown) => call("POST", `/v1/webhooks/${id}/rotate`, body, customer.key);
  const received = async (id: string) => {
    trial.receiver.events.length = 0;
    await call("POST", `/v1/webhooks/${id}/test`, undefined, customer.key);
    const [event] = trial.receiver.events;
    if (event === undefined) throw new Error("Nothing came.");
    return event;
  };

  it("gives a new secret, and both sign until the grace is over", async () => {
    const made = await trial.listenAs(customer);
    const rotated = await rotate(made.id);
    expect(rotated.status, rotated.text).toBe(200);
    const { secret, old_secret_ends_at: endsAt } = rotated.json;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(made.secret);
    expect(Date.parse(endsAt) - Date.now()).toBeGreaterThan(86_000_000);
    const event = await received(made.id);
    expect([isSignedWith(secret, event), isSignedWith(made.secret, event)]).toEqual([true, true]);

    await trial.database.query("UPDATE webhooks SET old_secret_ends_at = now() WHERE id = $1", [made.id]);
    const later = await received(made.id);
    expect([isSignedWith(secret, later), isSignedWith(made.secret, later)]).toEqual([true, false]);
    expect((await call("GET", `/v1/webhooks/${made.id}`, undefined, customer.key)).json).toMatchObject({
      old_secret_ends_at: null,
    });
  });

  it("can end the old secret at once", async () => {
    const made = await trial.listenAs(customer);
    const { secret } = (await rotate(made.id, { grace_seconds: 0 })).json;
    const event = await received(made.id);
    expect([isSignedWith(secret, event), isSignedWith(made.secret, event)]).toEqual([true, false]);
  });
});
