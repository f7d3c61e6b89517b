import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { findDeadPort } from "@trunkline/testing/throwaway-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { chatAnswer, keyIn, refusal } from "../support/openai-upstream.ts";
import { startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let stranger: Customer;

const LIST = {
  object: "list",
  data: [
    { id: "gpt-4o-mini" },
    { id: "meta-llama/Llama-3.3-70B", context_length: 131_072 },
    { id: "other/Llama-3.3-70B", pricing: { prompt: "0.00000015", completion: "0.0000006" } },
    { id: "text-embedding-3-small" },
    { id: "house model" },
    { id: "gpt-4o-mini" },
  ],
};

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream((request) => {
    if (keyIn(request) !== "sk-right") return refusal(401, request);
    if (request.path === "/v1/models") return { body: JSON.stringify(LIST) };
    if (request.path === "/empty/models") return { body: JSON.stringify({ data: [] }) };
    if (request.path === "/html/models") return { headers: { "content-type": "text/html" }, body: "<html>" };
    if (request.path === "/busy/models") return { status: 529, body: "{}" };
    if (request.path === "/v1/chat/completions") return chatAnswer("Hello from there.");
    return { status: 404, body: "{}" };
  });
  stranger = await openCustomer(service, 0);
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const discover = (body: Record<string, unknown>, key?: string) =>
  service.call(
    "POST",
    "/v1/provider/models/discover",
    { wire: "openai", endpoint: `${upstream.url}/v1`, credential: "sk-right", ...body },
    key === undefined ? {} : { key },
  );
const importAll = (models: unknown, more: Record<string, unknown> = {}, key?: string) =>
  service.call(
    "POST",
    "/v1/provider/models/import",
    { wire: "openai", endpoint: `${upstream.url}/v1`, credential: "sk-right", models, ...more },
    key === undefined ? {} : { key },
  );
interface ListedModel extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly pricing: unknown;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

const PRICE = { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 };
const named = async () =>
  (await service.call("GET", "/v1/provider/models")).json.data.map(({ name }: { name: string }) => name).toSorted();

describe("the models at an endpoint", () => {
  it("are listed with names that can be registered and the prices that are known", async () => {
    const { json, status, text } = await discover({});
    expect(status, text).toBe(200);
    expect(json.endpoint).toBe(`${upstream.url}/v1`);
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual([
      "gpt-4o-mini",
      "Llama-3.3-70B",
      "other-Llama-3.3-70B",
      "text-embedding-3-small",
    ]);
    const [mini, llama, priced, embedding] = json.data;
    expect(mini).toMatchObject({
      pricing: { input_per_1k_tokens: 0.00015 },
      pricing_source: "openai",
      type: "multimodal",
    });
    expect(llama).toMatchObject({
      upstream_model: "meta-llama/Llama-3.3-70B",
      pricing: null,
      pricing_source: null,
      context_window: 131_072,
      registered: false,
    });
    expect(priced).toMatchObject({
      pricing: { input_per_1k_tokens: 0.00015, output_per_1k_tokens: 0.0006 },
      pricing_source: "endpoint",
    });
    expect(embedding).toMatchObject({ type: "embedding", streaming: false });
    expect(await named()).toEqual([]);
  });

  it.each([
    ["without its version", ""],
    ["with an operation", "/v1/chat/completions"],
    ["with a slash at its end", "/v1/"],
  ])("are found at an address %s", async (_, path) => {
    const { json } = await discover({ endpoint: `${upstream.url}${path}` });
    expect(json.endpoint).toBe(`${upstream.url}/v1`);
    expect(json.data).toHaveLength(4);
  });

  it.each([
    ["credential", /refused the key with status 401/, { credential: "sk-wrong" }],
    ["credential", /needs a key/, { credential: null }],
    ["credential", /required/, { credential: null, auth_type: "bearer" }],
    ["endpoint", /lists no models/, { path: "/empty" }],
    ["endpoint", /no list of models/, { path: "/html" }],
    ["endpoint", /no list of models/, { path: "/nowhere" }],
    ["endpoint", /status 529/, { path: "/busy" }],
    ["endpoint", /./, { endpoint: "no address" }],
    ["wire", /has no list/, { wire: "bedrock" }],
    ["wire", /has no list/, { wire: "trunkline" }],
    ["wire", /./, { wire: "morse" }],
  ])(
    "are refused by %s: %s",
    async (param, message, { path, ...body }: Record<string, unknown> & { readonly path?: string }) => {
      const answer = await discover(path === undefined ? body : { endpoint: `${upstream.url}${path}` });
      expectRefusal(answer, 400, "invalid_request", { param, message });
      expect(answer.text).not.toContain("sk-");
    },
  );

  it("are not asked for where nothing answers, nor at a private address by a stranger", async () => {
    const dead = await discover({ endpoint: `http://127.0.0.1:${await findDeadPort()}/v1` });
    expectRefusal(dead, 400, "invalid_request", { param: "endpoint", message: /could not be asked.*refused/ });
    const asked = upstream.requests.length;
    expectRefusal(await discover({}, stranger.key), 400, "invalid_request", { param: "endpoint" });
    expect(upstream.requests).toHaveLength(asked);
  });
});

describe("an import", () => {
  it("registers nothing where one of the models is refused", async () => {
    const good = { name: "one", type: "text", pricing: PRICE };
    for (const [param, bad, status] of [
      ["models[1].pricing.input_per_1k_tokens", { name: "two", type: "text", pricing: {} }, 400],
      ["models[1].name", { name: "two words", type: "text", pricing: PRICE }, 400],
      ["models[1].name", { name: "one", type: "text", pricing: PRICE }, 400],
      ["models[1].type", { name: "two", type: "video", pricing: PRICE }, 400],
    ] as const) {
      const answer = await importAll([good, bad]);
      expect([answer.status, answer.json.error.param]).toEqual([status, param]);
    }
    const wrongType = await importAll([good, { name: "two", type: "image", pricing: { per_image: 1 } }], {
      wire: "anthropic",
    });
    expect(wrongType.json.error.param).toBe("models[1].type");
    expect((await importAll([])).json.error.param).toBe("models");
    expect((await importAll([good], { credential: null, auth_type: "bearer" })).json.error.param).toBe("credential");
    expectRefusal(await importAll([good], {}, stranger.key), 400, "invalid_request", { param: "endpoint" });
    expect(await named()).toEqual([]);
  });

  it("registers all models that were chosen, and they answer", async () => {
    const { json } = await discover({});
    const models = json.data
      .filter(({ name }: { name: string }) => name !== "text-embedding-3-small")
      .map(({ pricing, context_window, max_output_tokens, ...model }: ListedModel) => ({
        ...model,
        pricing: pricing ?? PRICE,
        ...(context_window === null ? {} : { context_window }),
        ...(max_output_tokens === null ? {} : { max_output_tokens }),
      }));
    const done = await importAll(models);
    expect(done.status, done.text).toBe(201);
    expect(done.json.data).toHaveLength(3);
    expect(done.json.data[1]).toMatchObject({ name: "Llama-3.3-70B", state: "active", has_credential: true });
    const answer = await service.call("POST", "/v1/ai/request", {
      task: "chat",
      input: "Hello",
      model: "Llama-3.3-70B",
    });
    expect(answer.json).toMatchObject({ output: "Hello from there.", model_used: "Llama-3.3-70B" });
    expect(upstream.requests.at(-1)?.json.model).toBe("meta-llama/Llama-3.3-70B");
    const again = await discover({});
    expect(again.json.data.map(({ registered }: { registered: boolean }) => registered)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const taken = await importAll([{ name: "new-one", type: "text", pricing: PRICE }, models[0]]);
    expectRefusal(taken, 409, "conflict", { param: "models[1].name" });
    expect(await named()).not.toContain("new-one");
  });
});
