import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let customer: Customer;
let client: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const endpoint = `${upstream.url}/v1`;
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint });
  await registerUpstream(service, { wire: "openai", name: "halved", endpoint }, { batch_discount: 0.5 });
  customer = await openCustomer(service, 10);
  client = new OpenAI({ apiKey: customer.key, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: "Good morning." }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const lineOf = (custom_id: string, body: Record<string, unknown>, url = "/v1/chat/completions") =>
  JSON.stringify({ custom_id, method: "POST", url, body });
const chat = (id: string, model = "talker", more: Record<string, unknown> = {}) =>
  lineOf(id, { model, messages: [{ role: "user", content: `Hello ${id}` }], ...more });

async function begin(
  lines: readonly string[],
  endpoint: OpenAI.BatchCreateParams["endpoint"] = "/v1/chat/completions",
) {
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join("\n")), "questions.jsonl"),
    purpose: "batch",
  });
  return client.batches.create({
    input_file_id: file.id,
    endpoint,
    completion_window: "24h",
    metadata: { purpose: "a test" },
  });
}

async function finish(id: string) {
  for (;;) {
    const batch = await client.batches.retrieve(id);
    if (!["validating", "in_progress", "finalizing"].includes(batch.status)) return batch;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function linesIn(fileId: string | undefined) {
  const text = await (await client.files.content(fileId ?? "")).text();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("OpenAI's library", () => {
  it("uploads a file, runs it as a batch, and reads the results", async () => {
    const batch = await begin([chat("one"), chat("two", "talker", { stream: true })]);
    expect(batch).toMatchObject({ object: "batch", status: "validating", metadata: { purpose: "a test" } });
    const done = await finish(batch.id);
    expect(done).toMatchObject({
      status: "completed",
      request_counts: { total: 2, completed: 2, failed: 0 },
    });
    const results = await linesIn(done.output_file_id);
    expect(results.map(({ custom_id }) => custom_id)).toEqual(["one", "two"]);
    for (const { response } of results) {
      expect(response.status_code).toBe(200);
      expect(response.body).toMatchObject({
        object: "chat.completion",
        choices: [{ message: { role: "assistant", content: "Good morning." } }],
      });
    }
    expect(upstream.requests[0]?.json.service_tier).toBeUndefined();
  });

  it("has errors in its own form, in a file of their own", async () => {
    const batch = await begin([chat("good"), chat("bad", "nowhere")]);
    const done = await finish(batch.id);
    expect(done.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    const [error] = await linesIn(done.error_file_id);
    expect(error).toMatchObject({
      custom_id: "bad",
      response: { status_code: 404, body: { error: { code: "model_not_found", param: expect.anything() } } },
    });
  });

  it("asks a provider that takes less for it for its slower service, at that price", async () => {
    const batch = await begin([chat("cheap", "halved")]);
    const [result] = await linesIn((await finish(batch.id)).output_file_id);
    expect(upstream.requests[0]?.json.service_tier).toBe("flex");
    const record = await service.call("GET", `/v1/requests/${result.response.request_id}`, undefined, {
      key: customer.key,
    });
    const usage = result.response.body.usage;
    expect(record.json.discount).toBe(0.5);
    // A thousandth of a credit for a thousand tokens either way, and half of that.
    const tokens = usage.prompt_tokens + usage.completion_tokens;
    expect(record.json.cost).toBeCloseTo(tokens * 0.0000005, 12);
    await client.chat.completions.create({ model: "halved", messages: [{ role: "user", content: "Hello" }] });
    expect(upstream.requests[1]?.json.service_tier).toBeUndefined();
  });

  it("runs embeddings as a batch", async () => {
    const line = lineOf("text", { model: "auto", input: "Hello" }, "/v1/embeddings");
    const [result] = await linesIn((await finish((await begin([line], "/v1/embeddings")).id)).output_file_id);
    expect(result.response.body).toMatchObject({ object: "list", data: [{ object: "embedding", index: 0 }] });
  });

  it("pages through batches and files, and deletes a file", async () => {
    const made = await begin([chat("one")]);
    const ids: string[] = [];
    for await (const batch of client.batches.list({ limit: 1 })) ids.push(batch.id);
    expect(ids[0]).toBe(made.id);
    expect(new Set(ids).size).toBe(ids.length);
    const files: string[] = [];
    for await (const file of client.files.list({ limit: 2 })) files.push(file.id);
    expect(files).toContain(made.input_file_id);
    const file = await client.files.retrieve(made.input_file_id);
    expect(file).toMatchObject({ filename: "questions.jsonl", purpose: "batch", bytes: chat("one").length });
    await finish(made.id);
    expect(await client.files.delete(made.input_file_id)).toMatchObject({ deleted: true });
    await expect(client.files.retrieve(made.input_file_id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("gets errors of its own classes", async () => {
    await expect(client.batches.retrieve("batch_nothing")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(
      client.batches.create({
        input_file_id: "file-x",
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      }),
    ).rejects.toMatchObject({ status: 400, param: "input_file_id" });
    await expect(
      client.files.create({ file: await toFile(Buffer.from("x"), "x.jsonl"), purpose: "fine-tune" }),
    ).rejects.toMatchObject({ status: 400, param: "purpose" });
    const batch = await begin([chat("one")]);
    await finish(batch.id);
    await expect(client.batches.cancel(batch.id)).rejects.toBeInstanceOf(OpenAI.ConflictError);
  });

  it("asks for cached answers by a header", async () => {
    const ask = () =>
      client.chat.completions
        .create(
          { model: "talker", messages: [{ role: "user", content: "Again" }] },
          { headers: { "x-trunkline-cache": "ttl=60" } },
        )
        .withResponse();
    expect((await ask()).response.headers.get("x-trunkline-cache")).toBe("miss");
    const { data, response } = await ask();
    expect(response.headers.get("x-trunkline-cache")).toMatch(/^hit; age=\d+; match=exact$/);
    expect(data.choices[0]?.message.content).toBe("Good morning.");
    const stream = await client.chat.completions.create(
      { model: "talker", messages: [{ role: "user", content: "Again" }], stream: true },
      { headers: { "x-trunkline-cache": "ttl=60" } },
    );
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("Good morning.");
    expect(upstream.requests).toHaveLength(1);
  });
});
