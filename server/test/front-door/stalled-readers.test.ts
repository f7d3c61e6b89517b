import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const WRITE_WAIT_MS = 600;
const SLOTS = 3;
/** More than the sockets' buffers on both sides take. */
const WHOLE_BYTES = 9_000_000;

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: { ...config.limits, concurrentRequests: SLOTS, writeWaitMs: WRITE_WAIT_MS },
  }));
  provider = await startProvider();
  const flowing = {
    wire: "anthropic",
    streaming: true,
    capabilities: ["reasoning"],
    limits: { response_bytes: 100_000_000 },
  };
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "flowing", flowing));
  const painter = { type: "image", pricing: { per_image: 1 } };
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "painter", painter));
});

beforeEach(async () => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
  customer = await openCustomer(service, 5_000);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** Sends a request on a connection that is not read, so that the sockets' buffers stay small. */
async function send(path: string, body: object, to = service): Promise<RawConnection> {
  const client = await RawConnection.open(to.url);
  client.pause();
  const text = JSON.stringify(body);
  client.send(
    head(
      `POST ${path} HTTP/1.1`,
      "Host: trunkline",
      `Authorization: Bearer ${customer.key}`,
      "Content-Type: application/json",
      `Content-Length: ${text.length}`,
    ) + text,
  );
  return client;
}

const newestRecord = async () => {
  const list = await service.call("GET", "/v1/requests?limit=1", undefined, { key: customer.key });
  const id = list.json.data[0]?.id;
  return (await service.call("GET", `/v1/requests/${id}`, undefined, { key: customer.key })).json;
};

const streamBody = { model: "flowing", max_tokens: 100, stream: true, messages: [{ role: "user", content: "Hello" }] };
const image = (bytes: number) => ({ output: { image_url: `data:image/png;base64,${"A".repeat(bytes)}` } });

/** Some thoughts, and then sealed ones, which cost no examination, for as long as the answer is read. */
function streamWithoutEnd(): void {
  const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const start = (block: object) => event({ type: "content_block_start", index: 0, content_block: block });
  const delta = (change: object) => event({ type: "content_block_delta", index: 0, delta: change });
  const stop = event({ type: "content_block_stop", index: 0 });
  const thoughts =
    event({ type: "message_start", message: { usage: { input_tokens: 5 } } }) +
    start({ type: "thinking", thinking: "", signature: "" }) +
    delta({ type: "thinking_delta", thinking: "Let me think about it." }) +
    delta({ type: "signature_delta", signature: "signed" }) +
    stop;
  const sealed = start({ type: "redacted_thinking", data: "A".repeat(200_000) }) + stop;
  provider.script = (response) => {
    response.setHeader("content-type", "text/event-stream");
    response.write(thoughts);
    const write = (): void => {
      while (!response.destroyed && response.write(sealed));
    };
    response.on("drain", write);
    write();
  };
}

/** A connection is gone before its request is charged, and a place is free only then. */
const nothingRuns = () => {
  const { lifecycle, limits } = service.services;
  return expect.poll(() => lifecycle.inFlight.size + limits.admissionQueue.running).toBe(0);
};

describe("a client that stops reading", () => {
  it("loses its stream after the write deadline: the provider's call ends, and what was given is charged and recorded", async () => {
    streamWithoutEnd();
    const client = await send("/anthropic/v1/messages", streamBody);
    await expect.poll(() => provider.calls.length).toBe(1);
    await provider.calls[0]?.aborted;
    await nothingRuns();
    await expect.poll(async () => (await balanceOf(service, customer.key)).held).toBe(0);
    const record = await newestRecord();
    expect(record).toMatchObject({ status: 200, client_hung_up: true, usage_source: "own" });
    expect(record.cost).toBeGreaterThan(0);
    expect(5_000 - (await balanceOf(service, customer.key)).balance).toBeCloseTo(record.cost, 6);
    client.reset();
  });

  it.each(["/v1/image", "/v1/image?by=framework"])(
    "loses its connection after the write deadline while it is sent a whole answer: %s",
    async (path) => {
      provider.script = (response) => void response.end(JSON.stringify(image(WHOLE_BYTES)));
      const body = { input: "A cat", model: "painter" };
      const client = await send(path, body);
      await expect.poll(() => provider.calls.length).toBe(1);
      await nothingRuns();
      await expect.poll(async () => (await balanceOf(service, customer.key)).held).toBe(0);
      // The answer was complete, so it is charged as any other.
      expect((await newestRecord()).cost).toBe(1);
      client.reset();
    },
  );

  it("does not lock others out, even where every slot is taken by such clients", async () => {
    streamWithoutEnd();
    const clients = await Promise.all(Array.from({ length: SLOTS }, () => send("/anthropic/v1/messages", streamBody)));
    await expect.poll(() => provider.calls.length).toBe(SLOTS);
    expect(service.services.lifecycle.inFlight.size).toBe(SLOTS);
    await nothingRuns();
    provider.script = (response) => void response.end(JSON.stringify(image(1)));
    const ask = { input: "A cat", model: "painter" };
    const answered = await service.call("POST", "/v1/image", ask, { key: customer.key });
    expect(answered).toMatchObject({ status: 200 });
    for (const client of clients) client.reset();
  });

  it("gains nothing by sending on meanwhile", async () => {
    streamWithoutEnd();
    const client = await send("/anthropic/v1/messages", streamBody);
    await expect.poll(() => provider.calls.length).toBe(1);
    const sending = setInterval(() => client.send("X"), WRITE_WAIT_MS / 4);
    try {
      await nothingRuns();
    } finally {
      clearInterval(sending);
      client.reset();
    }
  });
});

it("waits for a client that reads slowly, even where that takes longer than the write deadline", async () => {
  const writeWaitMs = 2_000;
  const patient = await startService((config) => ({ ...config, limits: { ...config.limits, writeWaitMs } }));
  const { type, pricing } = { type: "image", pricing: { per_image: 1 } };
  await patient.call("POST", "/v1/provider/models", registrationOf(provider, "painter", { type, pricing }));
  provider.script = (response) => void response.end(JSON.stringify(image(WHOLE_BYTES)));
  customer = await openCustomer(patient, 10);
  const client = await send("/v1/image", { input: "A cat", model: "painter" }, patient);
  const startedMs = performance.now();
  // At a pace at which all of it takes longer than the deadline.
  const paceMs = 1.5 * writeWaitMs;
  const reading = setInterval(() => {
    if (performance.now() - startedMs < (client.receivedBytes / WHOLE_BYTES) * paceMs) return;
    client.resume();
    setImmediate(() => client.pause());
  }, 5);
  try {
    const answer = await client.answer();
    expect(answer.status).toBe(200);
    expect(answer.text.length > WHOLE_BYTES).toBe(true);
    expect(performance.now() - startedMs).toBeGreaterThan(writeWaitMs);
  } finally {
    clearInterval(reading);
    client.hangUp();
    await patient.stop();
  }
});
