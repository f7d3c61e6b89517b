import { fullNameOf } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { MemoryModels } from "@trunkline/testing/memory-models.ts";
import { afterEach, describe, expect, it } from "vitest";
import {
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from "../../../../server/test/support/scripted-upstream.ts";
import { ModelCatalogue } from "../catalogue/model-catalogue.ts";
import { createDialer, type Dialer } from "../dialer/dialer.ts";
import { Discovery, OfferedModelKeys } from "./discovery.ts";
import { DiscoverySchedule } from "./discovery-schedule.ts";
import type { LocalServer } from "./local-servers.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const dialerHere = (): Dialer => {
  const dialer = createDialer();
  open.push(dialer);
  return dialer;
};

async function listen(script: (request: UpstreamRequest) => UpstreamAnswer): Promise<Upstream> {
  const upstream = await startUpstream(script);
  open.push(upstream);
  return upstream;
}

const json = (value: unknown): UpstreamAnswer => ({ body: JSON.stringify(value) });
const NOT_FOUND: UpstreamAnswer = { status: 404, body: "{}" };
const listOf = (owner: string, ...ids: readonly string[]) =>
  json({ object: "list", data: ids.map((id) => ({ id, object: "model", created: 1, owned_by: owner })) });
const tags = (...names: readonly string[]) =>
  json({ models: names.map((name) => ({ name, model: name, digest: "abc", size: 1 })) });

function roundsAt(addresses: readonly string[]) {
  const catalogue = new ModelCatalogue(new MemoryModels(), []);
  const seen: (readonly LocalServer[])[] = [];
  const rounds = new DiscoverySchedule({
    dialer: dialerHere(),
    catalogue,
    offered: new OfferedModelKeys({ providers: [], allow: [], deny: [] }),
    providers: [],
    bases: new Map(),
    asksProviders: false,
    localServers: addresses,
    onUnlisted: () => undefined,
    onLocal: (servers) => seen.push(servers),
  });
  return { catalogue, rounds, seen, names: () => catalogue.all().map(fullNameOf) };
}

describe("servers on this machine", () => {
  it("are recognised by the form of their responses, and their models are private and free", async () => {
    const ollama = await listen(({ path }) =>
      path === "/api/tags" ? tags("llama3.2:3b") : listOf("library", "llama3.2:3b"),
    );
    const vllm = await listen(({ path }) => (path === "/v1/models" ? listOf("vllm", "Qwen/Qwen3-8B") : NOT_FOUND));
    const llamaCpp = await listen(({ path }) => (path === "/v1/models" ? listOf("llamacpp", "gemma") : NOT_FOUND));
    const { rounds, catalogue, names } = roundsAt([ollama.url, vllm.url, llamaCpp.url]);
    await rounds.refreshLocalServers("the-operator");
    expect(names()).toEqual(["ollama/llama3.2:3b", "vllm/Qwen/Qwen3-8B", "llamacpp/gemma"]);
    expect(catalogue.byName("llama3.2:3b")[0]).toMatchObject({
      accountId: "the-operator",
      private: true,
      wire: "openai",
      endpoint: `${ollama.url}/v1`,
      authType: "none",
      mayDialPrivate: true,
      price: { version: "local", inputPerMillion: 0n, outputPerMillion: 0n, perRequest: 0n },
    });
  });

  it.each([
    ["a page in HTML", { headers: { "content-type": "text/html" }, body: "<html></html>" }],
    ["another API's list", json([{ name: "gpt-4o", type: "text" }])],
    ["a list of other things", json({ object: "list", data: [{ id: "a", object: "file" }] })],
    ["models without what Ollama says of them", json({ models: [{ name: "a" }] })],
    ["an empty list", json({ object: "list", data: [] })],
    ["a refusal", { status: 401, body: JSON.stringify({ error: { message: "No key." } }) }],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" }, body: "" }],
  ])("are not recognised in %s", async (_, answer) => {
    const other = await listen(() => answer);
    const { rounds, names } = roundsAt([other.url]);
    await rounds.refreshLocalServers("the-operator");
    expect(names()).toEqual([]);
  });

  it("are removed when they stop responding, and reported only when something has changed", async () => {
    const vllm = await listen(() => listOf("vllm", "one"));
    const { rounds, seen, names } = roundsAt([vllm.url, "http://127.0.0.1:1"]);
    await rounds.refreshLocalServers("the-operator");
    await rounds.refreshLocalServers("the-operator");
    expect(seen).toHaveLength(1);
    vllm.answer(() => listOf("vllm", "one", "two"));
    await rounds.refreshLocalServers("the-operator");
    expect(names()).toEqual(["vllm/one", "vllm/two"]);
    vllm.answer(() => NOT_FOUND);
    await rounds.refreshLocalServers("the-operator");
    expect(names()).toEqual([]);
    expect(seen).toHaveLength(3);
  });

  it("are called without any key", async () => {
    const vllm = await listen(() => listOf("vllm", "one"));
    await roundsAt([vllm.url]).rounds.refreshLocalServers("the-operator");
    for (const { headers, method } of vllm.requests) {
      expect(method).toBe("GET");
      expect(headers.authorization).toBeUndefined();
    }
  });
});

describe("a provider's list of the models that our key may use", () => {
  async function offeredAfter(answer: UpstreamAnswer, unlisted: string[] = []): Promise<string[]> {
    const upstream = await listen(() => answer);
    const store = new MemoryModels();
    const providers = [{ id: "openai", keys: [new Secret("sk-ours")] }];
    const bases = new Map([["openai", { url: `${upstream.url}/v1`, chosen: true }]]);
    const offered = new OfferedModelKeys({ providers, allow: [], deny: [] });
    const catalogue = new ModelCatalogue(store, [], offered);
    const discovery = new Discovery({
      dataClaims: new Map(),
      store,
      catalogue,
      bases,
      ownKeyFeePpm: 0n,
      isNameTaken: async () => false,
      onNameTaken: () => undefined,
    });
    await discovery.addModels("the-operator", ["openai"]);
    const rounds = new DiscoverySchedule({
      dialer: dialerHere(),
      catalogue,
      offered,
      providers,
      bases,
      asksProviders: true,
      localServers: [],
      onLocal: () => undefined,
      onUnlisted: (id, detail) => unlisted.push(`${id} ${detail}`),
    });
    await rounds.refreshListedModels();
    // The same reason is reported once.
    await rounds.refreshListedModels();
    expect([...rounds.unlisted].map(([id, { detail }]) => `${id} ${detail}`)).toEqual(unlisted);
    expect(upstream.requests[0]).toMatchObject({
      path: "/v1/models",
      headers: { authorization: "Bearer sk-ours" },
    });
    return catalogue.all().map(({ name }) => name);
  }

  it("limits what is offered, also where names contain a date", async () => {
    expect(await offeredAfter(listOf("openai", "gpt-4o", "gpt-4.1-2025-04-14", "something-new"))).toEqual([
      "gpt-4.1",
      "gpt-4o",
    ]);
  });

  it.each([
    ["fails", { status: 500, body: "{}" }, "answered 500"],
    ["refuses the key", { status: 401, body: "{}" }, "refused the key (401)"],
    ["says no JSON", { body: "<html>" }, "answered with something that is not a list of models"],
    ["says something else", json({ hello: "there" }), "answered with something that is not a list of models"],
    ["lists nothing", listOf("openai"), "listed no models"],
    [
      "cuts its list off",
      json({ object: "list", data: [{ id: "gpt-4o", object: "model" }], has_more: true }),
      "listed only a part of its models",
    ],
  ])("changes nothing where the provider %s, and reports it", async (_, answer, told) => {
    const unlisted: string[] = [];
    expect((await offeredAfter(answer, unlisted)).length).toBeGreaterThan(20);
    expect(unlisted).toEqual([`openai ${told}`]);
  });
});
