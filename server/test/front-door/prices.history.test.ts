import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let otherAccount: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  otherAccount = await openCustomer(service, 0);
  const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, "moving"));
  expect(made.status, made.text).toBe(201);
  for (const per_request of [1, 2, 3, 3])
    await service.call("PATCH", "/v1/provider/models/moving", { pricing: { per_request } });
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const PRICES = "/v1/provider/models/moving/prices";
const get = (path: string, key?: string) => service.call("GET", path, undefined, key === undefined ? {} : { key });

describe("GET /v1/provider/models/{name}/prices", () => {
  it("lists every price with when it began, newest first", async () => {
    const { status, json } = await get(PRICES);
    expect(status).toBe(200);
    const base = {
      input_per_1k_tokens: 0.001,
      cached_input_per_1k_tokens: null,
      cache_write_per_1k_tokens: null,
      output_per_1k_tokens: 0.002,
      per_image: 0,
      per_second: 0,
    };
    expect(json).toEqual({
      data: [3, 2, 1, 0].map((per_request) => ({
        version: expect.stringMatching(/^\d+$/),
        since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
        pricing: { ...base, per_request },
      })),
      next_cursor: null,
    });
    const { json: model } = await get("/v1/provider/models/moving");
    expect(json.data[0]).toMatchObject({ version: model.price_version, pricing: model.pricing });
    expect(json.data.at(-1).since >= model.created_at).toBe(true);
    const moments = json.data.map(({ since }: { since: string }) => since);
    expect(moments.toSorted().toReversed()).toEqual(moments);
  });

  it("comes in pages that neither skip nor repeat", async () => {
    const all = (await get(PRICES)).json.data;
    const first = (await get(`${PRICES}?limit=3`)).json;
    expect(first.data).toEqual(all.slice(0, 3));
    const rest = (await get(`${PRICES}?limit=3&cursor=${first.next_cursor}`)).json;
    expect(rest).toEqual({ data: all.slice(3), next_cursor: null });
  });

  it.each([
    ["limit", "?limit=0"],
    ["limit", "?limit=101"],
    ["limit", "?limit=many"],
    ["cursor", "?cursor=x"],
    ["cursor", "?cursor=-1"],
    ["cursor", "?cursor=1.5"],
    ["cursor", "?cursor="],
    ["cursor", "?cursor=99999999999999999999"],
    ["cursor", "?cursor=00000000-0000-7000-8000-000000000000"],
  ])("refuses a wrong %s: %s", async (param, query) => {
    expectRefusal(await get(PRICES + query), 400, "invalid_request", { param });
  });

  it("is the owner's alone: to others, and of what is not there, it answers 404", async () => {
    expectRefusal(await get(PRICES, otherAccount.key), 404, "not_found");
    expectRefusal(await get("/v1/provider/models/nobody/prices"), 404, "not_found");
    expectRefusal(await get("/v1/provider/models/guide/prices"), 404, "not_found");
  });

  it("needs a key with the scope `provider`, and is only read", async () => {
    expectRefusal(await service.call("GET", PRICES, undefined, { key: null }), 401, "missing_api_key");
    const reader = await openCustomer(service, 0, { scopes: ["inference", "read", "manage"] });
    expectRefusal(await get(PRICES, reader.key), 403, "insufficient_scope");
    for (const method of ["POST", "DELETE"])
      expect((await service.call(method, PRICES, method === "POST" ? {} : undefined)).status).toBe(405);
  });

  it("begins again with a model that is registered again", async () => {
    await service.call("DELETE", "/v1/provider/models/moving");
    expectRefusal(await get(PRICES), 404, "not_found");
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "moving"));
    expect((await get(PRICES)).json.data).toHaveLength(1);
  });
});
