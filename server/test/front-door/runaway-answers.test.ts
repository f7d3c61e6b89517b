import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

/** A million one-letter pieces, if they are all read. */
const PIECES = 1_000_000;
const MAX_TOKENS = 50;

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  const changes = { wire: "openai", streaming: true, limits: { response_bytes: 100_000_000 } };
  const registered = await service.call("POST", "/v1/provider/models", registrationOf(provider, "endless", changes));
  expect(registered.status, registered.text).toBe(201);
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

const chunk = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;

const ask = (stream: boolean) =>
  service.call(
    "POST",
    "/openai/v1/chat/completions",
    { model: "endless", max_tokens: MAX_TOKENS, stream, messages: [{ role: "user", content: "Hello" }] },
    { key: customer.key },
  );

/** The request was charged for no more than was asked for, and nothing is held any more. */
async function expectBoundedCharge(): Promise<void> {
  const { data } = (await service.call("GET", "/v1/requests?limit=1", undefined, { key: customer.key })).json;
  const record = (await service.call("GET", `/v1/requests/${data[0].id}`, undefined, { key: customer.key })).json;
  expect(record.output_tokens).toBe(MAX_TOKENS);
  expect(record.attempts).toMatchObject([{ outcome: "answered" }]);
  expect(await balanceOf(service, customer.key)).toMatchObject({ held: 0 });
}

it.each([
  ["one letter after the other", (at: number) => (at % 6 === 5 ? " " : "a")],
  ["words", () => "wordy "],
])("ends a stream that goes on past max_tokens, and hangs up on its provider: %s", async (_what, pieceAt) => {
  let sent = 0;
  provider.script = (response) => {
    response.setHeader("content-type", "text/event-stream");
    const write = (): void => {
      while (sent < PIECES && !response.destroyed) if (!response.write(chunk(pieceAt(sent++)))) return;
      response.end("data: [DONE]\n\n");
    };
    response.on("drain", write);
    write();
  };
  const answer = await ask(true);
  await provider.calls[0]?.aborted;
  expect(sent).toBeLessThan(PIECES / 10);
  expect(answer.status).toBe(200);
  expect(answer.text.length).toBeLessThan(200_000);
  expect(answer.text).toContain('"finish_reason":"length"');
  expect(answer.text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  await expectBoundedCharge();
});

it("cuts a whole answer that is longer than max_tokens", async () => {
  const message = { role: "assistant", content: "wordy ".repeat(500_000) };
  provider.script = (response) =>
    void response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  const answer = await ask(false);
  expect(answer.status).toBe(200);
  expect(answer.json.choices[0].finish_reason).toBe("length");
  expect(answer.json.choices[0].message.content.length).toBeLessThan(10_000);
  await expectBoundedCharge();
});

it("lets others through while a provider floods one request", async () => {
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  let isFlooding = true;
  provider.script = (response, call) => {
    if (call.body.stream !== true) return answerPlainly(response, call);
    const piece = chunk("wordy ".repeat(10));
    const write = (): void => {
      while (isFlooding && !response.destroyed) if (!response.write(piece)) return;
      response.end("data: [DONE]\n\n");
    };
    response.on("drain", write);
    write();
  };
  const body = { model: "endless", max_tokens: 1_000_000, stream: true, messages: [{ role: "user", content: "Hi" }] };
  const flooded = service.call("POST", "/openai/v1/chat/completions", body, {
    key: (await openCustomer(service, 5_000)).key,
  });
  await expect.poll(() => provider.calls.length).toBe(1);
  const plain = { task: "chat", input: "Hello", model: "plain" };
  for (let time = 0; time < 5; time++)
    expect((await service.call("POST", "/v1/ai/request", plain, { key: customer.key })).status).toBe(200);
  expect(isFlooding).toBe(true);
  isFlooding = false;
  expect((await flooded).status).toBe(200);
});
