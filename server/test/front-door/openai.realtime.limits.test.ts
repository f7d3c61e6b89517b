import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { askForSession, openTalk } from "../support/realtime-talk.ts";
import {
  type Event,
  type RealtimeUpstream,
  startRealtimeUpstream,
  textResponse,
} from "../support/realtime-upstream.ts";
import { registerUpstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: RealtimeUpstream;
let customer: Customer;

/** What a test sets for its own sessions. */
const LONG = { realtimeSessionMs: 3_600_000, realtimeIdleMs: 900_000 };
const times = { ...LONG };

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: Object.defineProperties(
      { ...config.limits },
      {
        realtimeSessionMs: { get: () => times.realtimeSessionMs },
        realtimeIdleMs: { get: () => times.realtimeIdleMs },
      },
    ),
  }));
  upstream = await startRealtimeUpstream();
  for (const [name, limits] of [
    ["talker", {}],
    ["hesitant", { silence_ms: 100 }],
    ["failing", {}],
  ] as const)
    await registerUpstream(
      service,
      { wire: "openai", name, endpoint: upstream.url },
      { capabilities: ["realtime"], upstream_model: "gpt-realtime", limits },
    );
});

beforeEach(async () => {
  Object.assign(times, LONG);
  upstream.sessions.length = 0;
  upstream.refusal = undefined;
  upstream.onEvent = () => undefined;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const talk = (model: string) => openTalk({ key: customer.key, url: service.url, model });

async function records(): Promise<Event[]> {
  await expect.poll(async () => (await balanceOf(service, customer.key)).held, { timeout: 10_000 }).toBe(0);
  const list = await service.call("GET", "/v1/requests?limit=20", undefined, { key: customer.key });
  return list.json.data;
}

/** What the service knows of a model's endpoint. */
async function healthOf(name: string): Promise<Event> {
  return (await service.call("GET", `/v1/provider/models/${name}`)).json.health;
}

describe("the time of a realtime session", () => {
  it("ends without any event, calmly", async () => {
    times.realtimeIdleMs = 50;
    const { closed, events } = await talk("talker");
    expect(await closed).toBe(1000);
    expect(events.filter(({ type }) => type === "error")).toEqual([]);
  });

  it("ends after its longest, with an error, however lively it is", async () => {
    times.realtimeSessionMs = 50;
    const { realtime, next, closed } = await talk("talker");
    const lively = setInterval(() => realtime.send({ type: "input_audio_buffer.clear" }), 5);
    expect((await next("error")).error.message).toContain("the longest");
    expect(await closed).toBe(1001);
    clearInterval(lively);
  });

  it("ends where the provider is silent during a response; what was delivered is charged", async () => {
    upstream.onEvent = (event, session) => {
      if (event.type === "response.create") session.send(...textResponse("resp_1", ["It is "], undefined).slice(0, 4));
    };
    const { realtime, next, closed } = await talk("hesitant");
    realtime.send({ type: "response.create" });
    expect((await next("error")).error.code).toBe("provider_timeout");
    expect(await closed).toBe(1011);
    const [record] = await records();
    expect(record).toMatchObject({ status: 504, model: expect.stringContaining("hesitant") });
    expect(record.output_tokens).toBeGreaterThan(0);
  });
});

describe("audio that was heard", () => {
  const audio = Buffer.alloc(480_000).toString("base64");
  const begins = { type: "response.created", response: { id: "resp_1", output: [] } };
  const speaks = {
    type: "response.output_text.delta",
    response_id: "resp_1",
    item_id: "i",
    content_index: 0,
    delta: "It",
  };

  /** The input tokens of a response that breaks off after these events of the provider. */
  async function inputTokens(...before: readonly object[]): Promise<number> {
    customer = await openCustomer(service, 10);
    upstream.onEvent = (event, session) => {
      if (event.type === "input_audio_buffer.append") session.send(...before, begins, speaks);
    };
    const { realtime, next } = await talk("talker");
    realtime.send({ type: "input_audio_buffer.append", audio });
    await next("response.output_text.delta");
    realtime.socket.terminate();
    const [record] = await records();
    return record.input_tokens;
  }

  it("is charged by its length where the provider reports no usage, and by the speech in it where that is known", async () => {
    expect(await inputTokens()).toBe(100);
    const speech = [
      { type: "input_audio_buffer.speech_started", audio_start_ms: 1_000, item_id: "item_1" },
      { type: "input_audio_buffer.speech_stopped", audio_end_ms: 3_000, item_id: "item_1" },
    ];
    expect(await inputTokens(...speech)).toBe(20);
  });
});

describe("the health of a realtime model", () => {
  it("knows its responses and its refusals, and a model that keeps failing is passed over", async () => {
    upstream.onEvent = (event, session) => {
      if (event.type === "response.create") session.send(...textResponse("resp_1", ["It is so."], undefined));
    };
    const { realtime, next } = await talk("failing");
    realtime.send({ type: "response.create" });
    await next("response.done");
    realtime.close();
    expect(await healthOf("failing")).toMatchObject({ breaker: "closed", calls: 1, in_flight: 0 });
    upstream.refusal = 503;
    const headers = { authorization: `Bearer ${customer.key}` };
    for (let round = 0; round < 12; round++) {
      const { status } = await askForSession(`${service.url}/v1/realtime?model=failing`, headers);
      expect(status).toBe(502);
    }
    await expect.poll(async () => (await healthOf("failing")).breaker).toBe("open");
    upstream.refusal = undefined;
    const again = await talk("failing");
    again.realtime.close();
    await expect.poll(async () => (await healthOf("failing")).breaker).not.toBe("open");
  });
});
