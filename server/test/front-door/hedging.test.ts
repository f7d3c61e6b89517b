import {
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
let slow: ScriptedProvider;
let quick: ScriptedProvider;
let customer: Customer;

const silent: Script = () => undefined;
const chunk = (value: unknown) => `${JSON.stringify(value)}\n`;
const HASTY = { model: "slow", fallbacks: ["quick"], preferences: { speed: "fast" }, hedge: true };

beforeAll(async () => {
  service = await startService();
  slow = await startProvider();
  quick = await startProvider();
  for (const [provider, name] of [
    [slow, "slow"],
    [quick, "quick"],
  ] as const) {
    // So little is expected of both that the first is late almost at once.
    const body = registrationOf(provider, name, { streaming: true, performance: { avg_latency_ms: 10 } });
    expect((await service.call("POST", "/v1/provider/models", body)).status).toBe(201);
  }
});

beforeEach(async () => {
  slow.script = silent;
  slow.calls.length = 0;
  quick.calls.length = 0;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await slow.stop();
  await quick.stop();
});

const ask = (path: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  service.call(
    "POST",
    path,
    { task: "chat", input: "Hello", ...HASTY, ...more },
    { key: customer.key, ...(signal === undefined ? {} : { signal }) },
  );

async function firstCallOf(provider: ScriptedProvider): Promise<ReceivedCall> {
  await expect.poll(() => provider.calls.length).toBe(1);
  const [call] = provider.calls;
  if (call === undefined) throw new Error("There is no call.");
  return call;
}

describe("a hedged request whose first model is slow", () => {
  it.each(["/v1/stream", "/v1/generate"])(
    "is answered by the second, while the first is hung up on; one of them is charged at %s",
    async (path) => {
      quick.script = async (response) => {
        response.writeHead(200, { "content-type": "application/x-ndjson" });
        response.write(chunk({ delta: "Quick words, " }));
        // The answer ends only once the slow one was hung up on, so that it must have been before that.
        await (await firstCallOf(slow)).aborted;
        response.end(
          chunk({ delta: "quickly said." }) + chunk({ done: true, usage: { input_tokens: 10, output_tokens: 20 } }),
        );
      };
      const answer = await ask(path);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get("x-trunkline-model")).toBe("operator/quick");
      const id = answer.headers.get("x-request-id");
      const record = (await service.call("GET", `/v1/requests/${id}`, undefined, { key: customer.key })).json;
      expect(record).toMatchObject({
        model: "operator/quick",
        cost: 0.00005,
        attempts: [
          {
            model: "operator/slow",
            outcome: "cancelled",
            reason: "another model was faster",
            input_tokens: null,
          },
          { model: "operator/quick", outcome: "answered", input_tokens: 10, output_tokens: 20 },
        ],
      });
      expect(record.legs).toBeUndefined();
      expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 9.99995, held: 0 });
      const live = (await service.call("GET", "/v1/models/slow")).json.providers[0].live;
      expect(live).toMatchObject({ available: true, error_rate: 0 });
    },
  );

  it("that hangs up has both calls ended, and pays nothing", async () => {
    quick.script = silent;
    const leaving = new AbortController();
    const answer = ask("/v1/stream", {}, leaving.signal).catch(() => undefined);
    const calls = [await firstCallOf(slow), await firstCallOf(quick)];
    leaving.abort();
    await Promise.all(calls.map((call) => call.aborted));
    await answer;
    await expect.poll(async () => (await balanceOf(service, customer.key)).held).toBe(0);
    expect((await balanceOf(service, customer.key)).balance).toBe(10);
  });

  it.each([
    ["is not asked for", { hedge: false }],
    ["is not in a hurry", { preferences: {} }],
  ])("waits for it where hedging %s", async (_why, more) => {
    slow.script = async (response) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      response.end(JSON.stringify({ output: "Slow words." }));
    };
    const answer = await ask("/v1/generate", more);
    expect(answer.json).toMatchObject({ output: "Slow words.", model: "operator/slow" });
    expect(quick.calls).toHaveLength(0);
  });
});
