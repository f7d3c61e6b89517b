import type { Part } from "@trunkline/core/parts.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProviderServices } from "../../src/app/services.ts";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeEach(async () => {
  service = await startService();
  provider = await startProvider();
  // One credit an answer, and one credit to spend: what is still held leaves nothing for the next.
  const pricing = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 };
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain", { pricing }));
  customer = await openCustomer(service, 1, { budget: { limit: 1, period: "day" } });
});
afterEach(async () => {
  await service.stop();
  await provider.stop();
});

const bug = () => new TypeError("A bug of our own.");

/** Replaces the adapters, such as by broken ones. */
const replaceAdapters = (adapterFor: ProviderServices["adapterFor"]) =>
  Object.assign(service.services.providers, { adapterFor });

const adapterThat = (call: () => AsyncGenerator<readonly Part[]>) => () => ({ call });

const ask = (path: string) =>
  service.call("POST", path, { task: "chat", input: "Hello", model: "plain" }, { key: customer.key });

describe("a bug of our own", () => {
  it.each([
    [
      "while the provider is called",
      adapterThat(async function* () {
        yield* [];
        throw bug();
      }),
    ],
    [
      "before it is called",
      () => {
        throw bug();
      },
    ],
  ])("%s answers 500, charges nothing and leaves nothing held", async (_when, broken) => {
    const { adapterFor } = service.services.providers;
    replaceAdapters(broken);
    const answer = await ask("/v1/ai/request");
    expect([answer.status, answer.json.error.type]).toEqual([500, "internal"]);
    expect(answer.text).not.toContain("A bug of our own");
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 1, held: 0 });
    replaceAdapters(adapterFor);
    expect((await ask("/v1/ai/request")).status).toBe(200);
    const record = await service.call("GET", `/v1/requests/${answer.json.error.request_id}`, undefined, customer);
    expect(record.json).toMatchObject({ status: 500, cost: 0 });
  });

  it("in the middle of a stream charges what was given, and leaves nothing held", async () => {
    replaceAdapters(
      adapterThat(async function* () {
        yield [{ type: "text", text: "Some words that were given before it broke. ".repeat(20) }];
        throw bug();
      }),
    );
    const answer = await ask("/v1/stream");
    const last = JSON.parse(answer.text.trim().split("\n").at(-1) ?? "");
    expect(last.error.type).toBe("internal");
    expect(last.error.cost).toBe(1);
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 0, held: 0 });
  });

  it("in the safety check of the input holds nothing", async () => {
    const broken = () => {
      throw bug();
    };
    Object.assign(service.services, { guardFor: broken });
    expect((await ask("/v1/ai/request")).status).toBe(500);
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 1, held: 0 });
  });
});
