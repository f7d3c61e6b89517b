import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let customer: Customer;
let client: Anthropic;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
  customer = await openCustomer(service, 10);
  client = clientOf(customer.key);
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: "Good morning." }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const clientOf = (apiKey: string, baseURL = `${service.url}/anthropic`) =>
  new Anthropic({ apiKey, baseURL, maxRetries: 0 });
const requestOf = (custom_id: string, model = "talker") => ({
  custom_id,
  params: { model, max_tokens: 64, messages: [{ role: "user" as const, content: `Hello ${custom_id}` }] },
});

async function finish(id: string) {
  for (;;) {
    const batch = await client.messages.batches.retrieve(id);
    if (batch.processing_status === "ended") return batch;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("batches with Anthropic's own library", () => {
  it("run each request, and give the results by its id", async () => {
    const begun = await client.messages.batches.create({
      requests: [requestOf("a"), requestOf("b"), requestOf("c", "nobody")],
    });
    expect(begun).toMatchObject({
      id: expect.stringMatching(/^msgbatch_/),
      type: "message_batch",
      request_counts: { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    });
    const ended = await finish(begun.id);
    expect(ended.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 });
    expect(ended.ended_at).not.toBeNull();
    const results = new Map();
    for await (const { custom_id, result } of await client.messages.batches.results(begun.id))
      results.set(custom_id, result);
    expect([...results.keys()].toSorted((one, other) => one.localeCompare(other))).toEqual(["a", "b", "c"]);
    expect(results.get("a")).toMatchObject({
      type: "succeeded",
      message: { type: "message", role: "assistant", content: [{ type: "text", text: "Good morning." }] },
    });
    expect(results.get("c")).toMatchObject({
      type: "errored",
      error: { type: "error", error: { type: "not_found_error" } },
    });
  });

  it("are listed page by page, without those of other formats, and found at the root", async () => {
    const made: string[] = [];
    for (let round = 0; round < 3; round++)
      made.unshift((await client.messages.batches.create({ requests: [requestOf(`r${round}`)] })).id);
    const listed: string[] = [];
    for await (const { id } of clientOf(customer.key, service.url).messages.batches.list({ limit: 2 })) listed.push(id);
    expect(listed.slice(0, 3)).toEqual(made);
    const files = await service.call("GET", "/v1/batches", undefined, { key: customer.key });
    expect(files.json.data.map(({ id }: { id: string }) => id.replace("batch_", "msgbatch_"))).toEqual(
      expect.arrayContaining(made),
    );
  });

  it("can be cancelled", async () => {
    const { id } = await client.messages.batches.create({ requests: [requestOf("a")] });
    const outcome = await client.messages.batches.cancel(id).catch((error: unknown) => error);
    // One that is over already has nothing left to cancel.
    if (outcome instanceof Anthropic.APIError) expect(outcome.status).toBe(409);
    else expect(outcome).toMatchObject({ id, cancel_initiated_at: expect.any(String) });
    const { request_counts: counts } = await finish(id);
    expect(counts.succeeded + counts.canceled).toBe(1);
  });

  it("are refused where they are wrong, or another account's", async () => {
    const create = (requests: unknown) =>
      service.call("POST", "/anthropic/v1/messages/batches", { requests }, { key: customer.key });
    for (const requests of [
      [],
      undefined,
      [requestOf("a"), requestOf("a")],
      [requestOf("no spaces please")],
      [{ custom_id: "a" }],
    ]) {
      const { status, json } = await create(requests);
      expect([status, json.type]).toEqual([400, "error"]);
    }
    const { id } = await client.messages.batches.create({ requests: [requestOf("a")] });
    const other = clientOf((await openCustomer(service, 1)).key);
    await expect(other.messages.batches.retrieve(id)).rejects.toThrow(Anthropic.NotFoundError);
    await expect(client.messages.batches.retrieve("msgbatch_none")).rejects.toThrow(Anthropic.NotFoundError);
    await finish(id);
  });
});
