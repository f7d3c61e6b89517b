import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const name of ["plain", "other"])
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name));
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

it("an idempotent answer is given to another key only if it may use the model", async () => {
  const { key } = await openCustomer(service, 10);
  const body = { task: "chat", input: "Hello", model: "plain" };
  const ask = (asker: string) =>
    service.call("POST", "/v1/ai/request", body, { key: asker, headers: { "idempotency-key": "shared" } });
  const keyFor = async (models: readonly string[]): Promise<string> =>
    (await service.call("POST", "/v1/keys", { name: "limited", scopes: ["inference"], models }, { key })).json.key;
  const first = await ask(key);
  expect(first.status, first.text).toBe(200);
  const refused = await ask(await keyFor(["other"]));
  expectRefusal(refused, 403, "insufficient_scope");
  expect(refused.headers.get("idempotent-replayed")).toBeNull();
  for (const models of [["plain"], ["operator/plain"]]) {
    const replayed = await ask(await keyFor(models));
    expect([replayed.headers.get("idempotent-replayed"), replayed.text]).toEqual(["true", first.text]);
  }
  expect(provider.calls).toHaveLength(1);
});

it("an agent's idempotency key has at most 255 printable characters too", async () => {
  const call = (idempotencyKey: string) =>
    service.call(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "generate", arguments: { input: "Hello" } } },
      {
        key: OPERATOR_KEY,
        headers: { accept: "application/json, text/event-stream", "idempotency-key": idempotencyKey },
      },
    );
  const before = provider.calls.length;
  expect((await call("k".repeat(256))).text).toContain("1 to 255 printable ASCII characters");
  expect(provider.calls).toHaveLength(before);
  expect((await call("k".repeat(255))).text).not.toContain("printable ASCII");
});
