import { once } from "node:events";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import {
  answerPlainly,
  type ReceivedCall,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "flowing", { streaming: true }));
  await service.call(
    "POST",
    "/v1/provider/models",
    registrationOf(provider, "painter", { type: "image", pricing: { per_image: 1 } }),
  );
});

beforeEach(async () => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const MODEL_OF: Readonly<Record<string, string>> = {
  "/v1/ai/request": "flowing",
  "/v1/generate": "flowing",
  "/v1/stream": "flowing",
  "/v1/image": "painter",
};

const bodyFor = (path: string) =>
  JSON.stringify({ task: path === "/v1/image" ? "image" : "chat", input: "Hello", model: MODEL_OF[path] });

async function send(path: string, headers: readonly string[] = []): Promise<RawConnection> {
  const client = await RawConnection.open(service.url);
  const body = bodyFor(path);
  client.send(
    head(
      `POST ${path} HTTP/1.1`,
      "Host: trunkline",
      `Authorization: Bearer ${customer.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...headers,
    ) + body,
  );
  return client;
}

/** The call that has reached the provider. */
async function arrived(): Promise<ReceivedCall> {
  await expect.poll(() => provider.calls.length).toBe(1);
  const [call] = provider.calls;
  if (call === undefined) throw new Error("There is no call.");
  return call;
}

/** Where everything stands once nothing runs any more. */
async function settled() {
  await expect.poll(async () => (await balanceOf(service, customer.key)).held).toBe(0);
  return balanceOf(service, customer.key);
}

const newestRecord = async () => {
  const list = await service.call("GET", "/v1/requests?limit=1", undefined, { key: customer.key });
  const id = list.json.data[0]?.id;
  return (await service.call("GET", `/v1/requests/${id}`, undefined, { key: customer.key })).json;
};

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at} `).join("");
const chunk = (value: unknown) => `${JSON.stringify(value)}\n`;

describe("a client that hangs up before its body is complete", () => {
  it.each(Object.keys(MODEL_OF))("is forgotten: no model is called and nothing is held at %s", async (path) => {
    for (const leave of ["hangUp", "reset"] as const) {
      const client = await RawConnection.open(service.url);
      client.send(
        head(
          `POST ${path} HTTP/1.1`,
          "Host: trunkline",
          `Authorization: Bearer ${customer.key}`,
          "Content-Type: application/json",
          "Content-Length: 500",
        ),
      );
      client.send('{"task": "chat", "input": "Hel');
      await expect.poll(() => service.services.lifecycle.inFlight.size).toBeGreaterThan(0);
      client[leave]();
      await expect.poll(() => service.services.lifecycle.inFlight.size).toBe(0);
    }
    expect(provider.calls).toHaveLength(0);
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 10, held: 0 });
  });
});

describe.each(Object.keys(MODEL_OF))("a client that hangs up at %s while the provider is silent", (path) => {
  it.each(["hangUp", "reset"] as const)(
    "ends the provider's call and pays for the input of a whole answer alone: %s",
    async (leave) => {
      provider.script = () => undefined;
      const client = await send(path);
      const call = await arrived();
      expect((await balanceOf(service, customer.key)).held).toBeGreaterThan(0);
      client[leave]();
      await call.aborted;
      const { balance } = await settled();
      await expect.poll(async () => (await newestRecord())?.client_hung_up).toBe(true);
      const record = await newestRecord();
      expect(record).toMatchObject({ status: 499, output_tokens: 0 });
      // Nothing of the stream was delivered, and a picture is priced by itself.
      const isFree = path === "/v1/stream" || path === "/v1/image";
      expect(record.cost).toBeCloseTo(isFree ? 0 : (record.input_tokens * 0.001) / 1000, 9);
      expect(record.cost > 0).toBe(!isFree);
      expect(10 - balance).toBeCloseTo(record.cost, 9);
    },
  );
});

describe("a client that hangs up in mid-stream", () => {
  it.each([
    ["NDJSON", []],
    ["server-sent events", ["Accept: text/event-stream"]],
  ])("ends the provider's call and pays for what it was given: %s", async (_form, headers) => {
    provider.script = (response) => void response.write(chunk({ delta: words(40) }));
    const client = await send("/v1/stream", headers);
    const call = await arrived();
    await client.receives("word10");
    client.reset();
    await call.aborted;

    const { balance } = await settled();
    const record = await newestRecord();
    expect(record).toMatchObject({
      status: 200,
      usage_source: "own",
      client_hung_up: true,
      error_type: null,
    });
    expect(record.output_tokens).toBeGreaterThanOrEqual(10);
    expect(record.cost).toBeCloseTo((record.input_tokens * 0.001 + record.output_tokens * 0.002) / 1000, 9);
    expect(10 - balance).toBeCloseTo(record.cost, 9);
    expect(record.attempts).toMatchObject([{ outcome: "cut-off", reason: "the client hung up" }]);
  });

  it("does not harm the provider's good name", async () => {
    const stall: Script = (response) => void response.write(chunk({ delta: words(40) }));
    for (let time = 0; time < 6; time++) {
      provider.script = stall;
      provider.calls.length = 0;
      const client = await send("/v1/stream");
      const call = await arrived();
      await client.receives("word10");
      client.hangUp();
      await call.aborted;
    }
    await settled();
    provider.script = answerPlainly;
    const answer = await service.call(
      "POST",
      "/v1/ai/request",
      { task: "chat", input: "Hello", model: "flowing" },
      { key: customer.key },
    );
    expect(answer.status).toBe(200);
    const shown = await service.call("GET", "/v1/models/flowing");
    expect(shown.json.providers[0].live).toMatchObject({ available: true, error_rate: 0 });
  });

  it("frees its idempotency key for another try", async () => {
    provider.script = (response) => void response.write(chunk({ delta: words(40) }));
    const client = await send("/v1/stream", ["Idempotency-Key: again"]);
    const call = await arrived();
    await client.receives("word10");
    client.reset();
    await call.aborted;
    await settled();
    provider.script = (response) => void response.end(`${chunk({ delta: "All of it." })}${chunk({ done: true })}`);
    const again = await service.call("POST", "/v1/stream", bodyFor("/v1/stream"), {
      key: customer.key,
      headers: { "idempotency-key": "again" },
    });
    expect(again.status, again.text).toBe(200);
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(again.text).toContain("All of it.");
  });

  it("does not get further candidates tried on its behalf", async () => {
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "other", { streaming: true }));
    provider.script = () => undefined;
    const client = await RawConnection.open(service.url);
    const body = JSON.stringify({ input: "Hello", model: "flowing", fallbacks: ["other"] });
    client.send(
      head(
        "POST /v1/stream HTTP/1.1",
        "Host: trunkline",
        `Authorization: Bearer ${customer.key}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ) + body,
    );
    const call = await arrived();
    client.reset();
    await call.aborted;
    await settled();
    expect(provider.calls).toHaveLength(1);
  });
});

describe("a client that does not read", () => {
  it("makes the provider wait instead of filling the memory", async () => {
    const most = 6_000;
    const piece = chunk({ delta: "xxxxxxx ".repeat(1_000) });
    let written = 0;
    provider.script = async (response) => {
      for (; written < most && !response.destroyed; written++) {
        if (!response.write(piece)) await once(response, "drain").catch(() => undefined);
      }
      response.end();
    };
    const limits = { response_bytes: 100_000_000 };
    await service.call("PATCH", "/v1/provider/models/flowing", { limits, max_output_tokens: 1_000_000 });
    const client = await send("/v1/stream");
    const call = await arrived();
    await client.receives("xxxxxxx");
    client.pause();
    // The buffers on the way fill up, and then nothing moves any more.
    let before = -1;
    const isStill = () => {
      const moved = written !== before;
      before = written;
      return !moved;
    };
    await expect.poll(isStill, { interval: 500 }).toBe(true);
    expect(written).toBeLessThan(most);
    client.reset();
    await call.aborted;
    expect((await settled()).balance).toBeLessThan(10);
  });
});
