import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import OpenAI, { BadRequestError, NotFoundError } from "openai";
import type { Response, ResponseInput } from "openai/resources/responses/responses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { BatchTrial, jsonLines } from "../support/batch-trial.ts";
import { openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import {
  CALL,
  CHAT_CALL,
  callFirst,
  openResponsesClients,
  type ResponsesClients,
  WEATHER,
} from "../support/responses-clients.ts";
import { registerUpstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, startService, startSibling } from "../support/started-service.ts";

let clients: ResponsesClients;

beforeAll(async () => {
  clients = await openResponsesClients();
});

beforeEach(() => {
  clients.chatty.requests.length = 0;
  clients.chatty.answer(answerChat({ text: "Good morning!" }));
});

afterAll(() => clients.close());

const ask = (input: string | ResponseInput, more = {}) =>
  clients.openai.responses.create({ model: "chatty", input, ...more });
const sentMessages = (index = -1) => clients.chatty.requests.at(index)?.json.messages;
const clientOf = (apiKey: string, baseURL = `${clients.service.url}/openai/v1`) =>
  new OpenAI({ baseURL, apiKey, maxRetries: 0 });

async function countRows(table: string): Promise<number> {
  const [row] = await clients.service.database.query<{ count: bigint }>(`SELECT count(*) FROM ${table}`);
  return Number(row?.count);
}

describe("a response that was kept", () => {
  it("is read as it was given, with what it was asked", async () => {
    const response = await ask([
      { role: "developer", content: "Be kind." },
      { role: "user", content: [{ type: "input_text", text: "Hello" }] },
    ]);
    expect(response).toMatchObject({ store: true, previous_response_id: null, conversation: null });
    const { output_text: _, _request_id: __, ...given } = response;
    expect(await clients.openai.responses.retrieve(response.id)).toMatchObject(given);
    const items = await clients.openai.responses.inputItems.list(response.id, { order: "asc" });
    expect(items.data).toMatchObject([
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
    ]);
    expect(new Set(items.data.map(({ id }) => id)).size).toBe(2);
  });

  it("is the one that a stream ended with", async () => {
    clients.chatty.answer(answerChat({ text: ["Good ", "morning!"], thoughts: "Be polite." }));
    const stream = clients.openai.responses.stream({ model: "chatty", input: "Hello" });
    let completed: object | undefined;
    for await (const event of stream) if (event.type === "response.completed") completed = event.response;
    const { id } = await stream.finalResponse();
    const { status, json } = await clients.service.call("GET", `/openai/v1/responses/${id}`);
    expect(status).toBe(200);
    expect(json).toEqual(
      JSON.parse(JSON.stringify(completed, (name, value) => (name === "output_text" ? undefined : value))),
    );
    expect(json).toMatchObject({ store: true, output: [{ type: "reasoning" }, { type: "message" }] });
  });

  it("lists what it was asked page by page", async () => {
    const { id } = await ask(["One", "Two", "Three"].map((content) => ({ role: "user" as const, content })));
    const words: string[] = [];
    for await (const item of clients.openai.responses.inputItems.list(id, { limit: 2 }))
      words.push(JSON.stringify(item).match(/One|Two|Three/)?.[0] ?? "");
    expect(words).toEqual(["Three", "Two", "One"]);
    const wrong = await clients.service.call("GET", `/openai/v1/responses/${id}/input_items?after=msg-other`);
    expect([wrong.status, wrong.json.error.param]).toEqual([400, "after"]);
  });

  it("is found at the root as well", async () => {
    const { id } = await ask("Hello");
    expect((await clientOf(OPERATOR_KEY, `${clients.service.url}/v1`).responses.retrieve(id)).id).toBe(id);
  });

  it("is encrypted in the store", async () => {
    await ask("A very secret question");
    const rows = await clients.service.database.query<{ input: Buffer; response: Buffer }>(
      "SELECT input, response FROM stored_responses",
    );
    const stored = Buffer.concat(rows.flatMap(({ input, response }) => [input, response])).toString("latin1");
    expect(stored.length).toBeGreaterThan(0);
    expect(stored).not.toMatch(/secret question|morning/);
  });

  it("is deleted when asked, and is then gone", async () => {
    const { id } = await ask("Hello");
    expect((await clients.service.call("DELETE", `/openai/v1/responses/${id}`)).json).toEqual({
      id,
      object: "response",
      deleted: true,
    });
    await expect(clients.openai.responses.retrieve(id)).rejects.toThrow(NotFoundError);
    await expect(clients.openai.responses.delete(id)).rejects.toThrow(NotFoundError);
  });

  it("can be neither streamed again nor cancelled", async () => {
    const { id } = await ask("Hello");
    await expect(clients.openai.responses.retrieve(id, { stream: true })).rejects.toMatchObject({ param: "stream" });
    await expect(clients.openai.responses.cancel(id)).rejects.toThrow(BadRequestError);
  });
});

describe("a response that is not kept", () => {
  it("is one with `store: false`", async () => {
    const before = await countRows("stored_responses");
    const { id, store } = { store: undefined, ...(await ask("Hello", { store: false })) };
    expect([store, await countRows("stored_responses")]).toEqual([false, before]);
    await expect(clients.openai.responses.retrieve(id)).rejects.toThrow(NotFoundError);
  });

  it("is one that failed", async () => {
    const before = await countRows("stored_responses");
    clients.chatty.answer(() => ({ status: 500, body: "{}" }));
    await expect(ask("Hello")).rejects.toThrow();
    expect(await countRows("stored_responses")).toBe(before);
  });

  it("is one that is too large, and says so", async () => {
    const image = `data:image/png;base64,${"A".repeat(9 * 1024 * 1024)}`;
    const response = await ask([
      { role: "user", content: [{ type: "input_image", image_url: image, detail: "auto" }] },
    ]);
    expect(response).toMatchObject({ status: "completed", store: false });
  });

  it("is one that the store can't take, and its answer is given all the same", async () => {
    await clients.service.database.query("ALTER TABLE stored_responses RENAME TO elsewhere");
    try {
      expect(await ask("Hello")).toMatchObject({ output_text: "Good morning!", store: false });
    } finally {
      await clients.service.database.query("ALTER TABLE elsewhere RENAME TO stored_responses");
    }
  });

  it("is a chat", async () => {
    const before = await countRows("stored_responses");
    await clients.openai.chat.completions.create({ model: "chatty", messages: [{ role: "user", content: "Hi" }] });
    expect(await countRows("stored_responses")).toBe(before);
  });
});

describe("previous_response_id", () => {
  it("puts all earlier turns before the input, but not their instructions", async () => {
    const first = await ask("My name is Ada.", { instructions: "Be kind." });
    clients.chatty.answer(answerChat({ text: "Certainly." }));
    const second = await ask("Remember it.", { previous_response_id: first.id });
    const third = await ask("What is it?", { previous_response_id: second.id, instructions: "Be short." });
    expect(third.previous_response_id).toBe(second.id);
    expect(sentMessages()).toMatchObject([
      { role: "system", content: "Be short." },
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Good morning!" },
      { role: "user", content: "Remember it." },
      { role: "assistant", content: "Certainly." },
      { role: "user", content: "What is it?" },
    ]);
    // Each has its own input alone.
    expect((await clients.openai.responses.inputItems.list(third.id)).data).toHaveLength(1);
  });

  it("goes on after a call, also in a stream", async () => {
    clients.chatty.answer(callFirst({ thoughts: "Oslo it is." }, { text: "Cold." }));
    const stream = clients.openai.responses.stream({ model: "chatty", input: "Weather?", tools: [WEATHER] });
    const first = await stream.finalResponse();
    const second = await ask([{ type: "function_call_output", call_id: "call_1", output: "3 degrees" }], {
      previous_response_id: first.id,
      tools: [WEATHER],
    });
    expect(second.output_text).toBe("Cold.");
    expect(sentMessages()).toMatchObject([
      { role: "user", content: "Weather?" },
      { role: "assistant", tool_calls: [CHAT_CALL] },
      { role: "tool", tool_call_id: "call_1", content: "3 degrees" },
    ]);
  });

  it("is known at once to another instance", async () => {
    const sibling = await startSibling(clients.service);
    try {
      const first = await ask("My name is Ada.");
      const second = await clientOf(OPERATOR_KEY, `${sibling.url}/openai/v1`).responses.create({
        model: "chatty",
        input: "What is it?",
        previous_response_id: first.id,
      });
      expect(second.output_text).toBe("Good morning!");
      expect(sentMessages()).toHaveLength(3);
    } finally {
      await sibling.stop();
    }
  });

  it("is refused in OpenAI's form where there is no such response", async () => {
    const { key } = await openCustomer(clients.service, 1);
    const theirs = await ask("Hello");
    const gone = await ask("Hello");
    const after = await ask("Hello", { previous_response_id: gone.id });
    await clients.openai.responses.delete(gone.id);
    for (const [client, id] of [
      [clients.openai, "resp-1"],
      [clients.openai, gone.id],
      // What it continues is gone.
      [clients.openai, after.id],
      [clientOf(key), theirs.id],
    ] as const) {
      const asking = client.responses.create({ model: "chatty", input: "Hi", previous_response_id: id });
      await expect(asking).rejects.toMatchObject({
        status: 400,
        code: "previous_response_not_found",
        type: "invalid_request_error",
        param: "previous_response_id",
      });
    }
    expect(clients.chatty.requests).toHaveLength(3);
  });

  it("is refused where the conversation is too long", async () => {
    const first = await ask("Hello");
    await clients.service.database.query("UPDATE stored_responses SET previous_id = id WHERE id = $1", [
      first.id.slice("resp-".length),
    ]);
    await expect(ask("Hi", { previous_response_id: first.id })).rejects.toMatchObject({
      status: 400,
      code: "invalid_request",
      param: "previous_response_id",
    });
  });
});

describe("references to items", () => {
  it("stand for messages, calls and thoughts, as the AI SDK 5 sends them in its loop", async () => {
    clients.chatty.answer(callFirst({ text: "Let me see.", thoughts: "Oslo it is." }, { text: "Cold." }));
    const first = await ask("Weather?", { tools: [WEATHER] });
    expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
    const second = await ask(
      [
        { role: "user", content: "Weather?" },
        ...first.output.map(({ id = "" }) => ({ type: "item_reference" as const, id })),
        { type: "function_call_output", call_id: "call_1", output: "3 degrees" },
      ],
      { tools: [WEATHER] },
    );
    expect(second.output_text).toBe("Cold.");
    expect(sentMessages()).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Let me see.", tool_calls: [CHAT_CALL] },
      { role: "tool", content: "3 degrees" },
    ]);
    // The items themselves are listed, not the references.
    const items = await clients.openai.responses.inputItems.list(second.id, { order: "asc" });
    expect(items.data.map(({ type }) => type)).toEqual([
      "message",
      "reasoning",
      "message",
      "function_call",
      "function_call_output",
    ]);
  });

  it("stand for items of an input, too", async () => {
    const first = await ask("My name is Ada.");
    const [item] = (await clients.openai.responses.inputItems.list(first.id)).data;
    await ask([
      { type: "item_reference", id: item?.id ?? "" },
      { role: "user", content: "What is it?" },
    ]);
    expect(sentMessages()).toMatchObject([{ content: "My name is Ada." }, { content: "What is it?" }]);
  });

  it("are refused where there is no such item, or where it is another account's", async () => {
    const { key } = await openCustomer(clients.service, 1);
    const { output } = await ask("Hello");
    const input: ResponseInput = [
      { role: "user", content: "Hello" },
      { type: "item_reference", id: output[0]?.id ?? "" },
    ];
    for (const [client, id] of [
      [clientOf(key), output[0]?.id ?? ""],
      [clients.openai, "msg-1"],
      [clients.openai, `${output[0]?.id}9`],
    ] as const) {
      const asking = client.responses.create({
        model: "chatty",
        input: [input[0] as never, { type: "item_reference", id }],
      });
      await expect(asking).rejects.toMatchObject({ status: 404, code: "not_found", param: "input[1].id" });
    }
  });
});

describe("the AI SDK with its defaults", () => {
  const weather = tool({
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: 3 degrees`,
  });
  const request = { prompt: "Weather in Oslo?", tools: { weather }, stopWhen: stepCountIs(3) };

  it("runs a tool loop of a model that thinks and speaks before it calls", async () => {
    clients.chatty.answer(callFirst({ text: "Let me see.", thoughts: "Oslo." }, { text: "It is cold in Oslo." }));
    const { text } = await generateText({ model: clients.aiSdk("chatty"), ...request });
    expect(text).toBe("It is cold in Oslo.");
    const streamed = streamText({ model: clients.aiSdk("chatty"), ...request });
    expect(await streamed.text).toBe("It is cold in Oslo.");
    expect(sentMessages()).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Let me see.", tool_calls: [{ id: CALL.id }] },
      { role: "tool" },
    ]);
  });

  it("goes on with a second turn", async () => {
    const messages: ModelMessage[] = [{ role: "user", content: "Hello" }];
    const first = await generateText({ model: clients.aiSdk("chatty"), messages });
    messages.push(...first.response.messages, { role: "user", content: "And now?" });
    const second = await generateText({ model: clients.aiSdk("chatty"), messages });
    expect(second.text).toBe("Good morning!");
    expect(sentMessages()).toMatchObject([
      { content: "Hello" },
      { role: "assistant", content: "Good morning!" },
      { content: "And now?" },
    ]);
  });
});

describe("what is kept of an account", () => {
  it("expires, and is deleted by the sweep", async () => {
    const { id } = await ask("Hello");
    await clients.service.database.query("UPDATE stored_responses SET expires_at = now() - interval '1 second'");
    await expect(clients.openai.responses.retrieve(id)).rejects.toThrow(NotFoundError);
    await clients.service.services.stored.responses.sweep();
    expect(await countRows("stored_responses")).toBe(0);
  });

  it.each([
    ["continues it", ({ id }: Response) => ["And now?", { previous_response_id: id }] as const],
    [
      "refers to it",
      ({ output }: Response) => [[{ type: "item_reference" as const, id: output[0]?.id ?? "" }], {}] as const,
    ],
  ])("lasts as long as what %s", async (_name, next) => {
    const first = await ask("Hello");
    await clients.service.database.query("UPDATE stored_responses SET expires_at = now() + interval '1 day'");
    const [input, more] = next(first);
    await ask(typeof input === "string" ? input : [...input], more);
    const [row] = await clients.service.database.query<{ days: number }>(
      "SELECT extract(day FROM expires_at - now())::float AS days FROM stored_responses WHERE id = $1",
      [first.id.slice("resp-".length)],
    );
    expect(row?.days).toBeGreaterThanOrEqual(29);
  });

  it("is bounded: the oldest is deleted first", async () => {
    const [old, recent] = [await ask("Hello"), await ask("Hello")];
    // As if each had the size of half of what an account may keep, and a bit.
    await clients.service.database.query("UPDATE stored_responses SET bytes = 140000000");
    await clients.service.services.stored.responses.sweep();
    await expect(clients.openai.responses.retrieve(old.id)).rejects.toThrow(NotFoundError);
    expect((await clients.openai.responses.retrieve(recent.id)).id).toBe(recent.id);
  });

  it("is not opened in the name of another account or row", async () => {
    const [one, other] = [await ask("Hello"), await ask("Hello")];
    await clients.service.database.query(
      "UPDATE stored_responses SET response = (SELECT response FROM stored_responses WHERE id = $1) WHERE id = $2",
      [one.id.slice("resp-".length), other.id.slice("resp-".length)],
    );
    await expect(clients.openai.responses.retrieve(other.id)).rejects.toThrow("another secret");
  });
});

describe("what is read of earlier turns", () => {
  it("counts with the bodies that a key may have in memory", async () => {
    const limits = { attachmentBodyBytes: 4_000_000, bodyMemoryBytes: 4_000_000 };
    const service = await startService((config) => ({ ...config, limits: { ...config.limits, ...limits } }));
    try {
      await registerUpstream(service, { wire: "openai", name: "chatty", endpoint: `${clients.chatty.url}/v1` });
      const openai = clientOf(OPERATOR_KEY, `${service.url}/openai/v1`);
      const image_url = `data:image/png;base64,${"A".repeat(2_100_000)}`;
      const input = [
        { role: "user" as const, content: [{ type: "input_image" as const, image_url, detail: "auto" as const }] },
      ];
      const first = await openai.responses.create({ model: "chatty", input });
      const second = await openai.responses.create({ model: "chatty", input: "And?", previous_response_id: first.id });
      expect(second).toMatchObject({ store: true });
      const third = openai.responses.create({ model: "chatty", input, previous_response_id: second.id });
      await expect(third).rejects.toMatchObject({ status: 429 });
    } finally {
      await service.stop();
    }
  });
});

describe("a line of a batch", () => {
  it("is kept like a request", async () => {
    const trial = new BatchTrial(clients.service, OPERATOR_KEY);
    const line = { custom_id: "1", body: { model: "chatty", input: "My name is Ada." } };
    const { json } = await trial.create(jsonLines([line], "/v1/responses"), "/v1/responses");
    const { output_file_id } = await trial.until(json.id, "completed");
    const [{ response }] = await trial.results(output_file_id);
    await ask("What is it?", { previous_response_id: response.body.id });
    expect(sentMessages()).toHaveLength(3);
  });
});

describe("a service that keeps no responses", () => {
  it("answers, says that nothing is kept, and explains why nothing can be continued", async () => {
    const service = await startService((config) => ({ ...config, storedResponseDays: 0 }));
    try {
      await registerUpstream(service, { wire: "openai", name: "chatty", endpoint: `${clients.chatty.url}/v1` });
      const openai = clientOf(OPERATOR_KEY, `${service.url}/openai/v1`);
      const response = await openai.responses.create({ model: "chatty", input: "Hello" });
      expect(response).toMatchObject({ output_text: "Good morning!", store: false });
      for (const [more, param] of [
        [{ previous_response_id: response.id }, "previous_response_id"],
        [{ conversation: "conv_1" }, "conversation"],
        [{ input: [{ type: "item_reference", id: "msg-1" }] }, "input"],
      ] as const) {
        const asking = openai.responses.create({ model: "chatty", input: "Hello", ...more } as never);
        await expect(asking).rejects.toMatchObject({ status: 400, param });
        await expect(asking).rejects.toThrow("not kept here");
      }
      await expect(openai.conversations.create({})).rejects.toThrow("not kept here");
    } finally {
      await service.stop();
    }
  });
});
