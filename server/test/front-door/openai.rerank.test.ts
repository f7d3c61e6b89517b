import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

const DOCUMENTS = ["Bern is in Switzerland.", "Cats sleep.", "Paris is in France."];
const ranked = [
  { index: 2, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.4 },
  { index: 1, relevance_score: 0.01 },
];

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const ranker = { type: "embedding", capabilities: ["rerank"] };
  const perSearch = { ...ranker, pricing: { input_per_1k_tokens: 0, per_request: 0.25 } };
  const perToken = { ...ranker, pricing: { input_per_1k_tokens: 0.5 } };
  await registerUpstream(service, { wire: "cohere", name: "rerank-v3.5", endpoint: upstream.url }, perSearch);
  await registerUpstream(service, { wire: "openai", name: "jina-reranker", endpoint: `${upstream.url}/v1` }, perToken);
  await registerUpstream(
    service,
    { wire: "openai", name: "vectors", endpoint: `${upstream.url}/v1` },
    { type: "embedding" },
  );
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(() => ({ body: JSON.stringify({ results: ranked, meta: { billed_units: { search_units: 1 } } }) }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const rerank = (body: object, path = "/v2/rerank", options = {}) =>
  service.call("POST", path, { query: "Where is Paris?", documents: DOCUMENTS, ...body }, options);

describe("documents are ranked", () => {
  it.each(["/v1/rerank", "/v2/rerank", "/cohere/v1/rerank", "/cohere/v2/rerank", "/openai/v1/rerank"])(
    "at %s, the most relevant first",
    async (path) => {
      const { status, json, text } = await rerank({ model: "rerank-v3.5", top_n: 2 }, path);
      expect(status, text).toBe(200);
      expect(json.results).toEqual(ranked.slice(0, 2));
      expect(json.meta).toEqual({ billed_units: { search_units: 1 } });
      expect(upstream.requests[0]).toMatchObject({
        path: "/v2/rerank",
        json: { model: "rerank-v3.5", query: "Where is Paris?", documents: DOCUMENTS },
      });
    },
  );

  it("by a provider with OpenAI's other operations, and are shown where they are asked for", async () => {
    // One of them calls its results data.
    upstream.answer(() => ({ body: JSON.stringify({ data: ranked, usage: { total_tokens: 20 } }) }));
    const documents = [{ text: DOCUMENTS[0] }, { text: DOCUMENTS[1] }, DOCUMENTS[2]];
    const { json } = await rerank({ model: "jina-reranker", documents, return_documents: true, top_k: 1 });
    expect(json.results).toEqual([{ ...ranked[0], document: { text: DOCUMENTS[2] } }]);
    expect(json.usage).toEqual({ prompt_tokens: 20, total_tokens: 20 });
    expect(upstream.requests[0]).toMatchObject({ path: "/v1/rerank", json: { documents: DOCUMENTS } });
  });

  it("and charged by the search or by the token", async () => {
    const { key } = await openCustomer(service, 1);
    await rerank({ model: "rerank-v3.5" }, "/v2/rerank", { key });
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.75, held: 0 });
    upstream.answer(() => ({ body: JSON.stringify({ results: ranked, usage: { total_tokens: 20 } }) }));
    await rerank({ model: "jina-reranker" }, "/v2/rerank", { key });
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.74, held: 0 });
  });

  it("by a model that the service chooses", async () => {
    expect((await rerank({ model: "auto" })).status).toBe(200);
  });
});

describe("a request to rank", () => {
  it("is refused for a model that makes vectors, and the reverse", async () => {
    const { status, json } = await rerank({ model: "vectors" });
    expect(status).toBe(400);
    expect(json.error.message).toContain("does not rank documents");
    const vectors = await service.call("POST", "/openai/v1/embeddings", { model: "jina-reranker", input: "Hello" });
    expect(vectors.json.error.message).toContain("ranks documents");
    expect(upstream.requests).toEqual([]);
  });

  it("names the field that is wrong", async () => {
    for (const [body, param] of [
      [{}, "model"],
      [{ model: "rerank-v3.5", query: "" }, "query"],
      [{ model: "rerank-v3.5", documents: [] }, "documents"],
      [{ model: "rerank-v3.5", documents: ["a", 5] }, "documents[1]"],
      [{ model: "rerank-v3.5", documents: [{ title: "a" }] }, "documents[0].text"],
      [{ model: "rerank-v3.5", top_n: 0 }, "top_n"],
    ] as const) {
      const { status, json } = await rerank(body);
      expect([status, json.error.param]).toEqual([400, param]);
    }
  });

  it.each([
    ["a document that is not there", [{ index: 3, relevance_score: 1 }]],
    ["too few", ranked.slice(0, 2)],
    ["no number", [...ranked.slice(0, 2), { index: 1, relevance_score: "high" }]],
  ])("is an error of the provider where it ranks %s", async (_what, results) => {
    upstream.answer(() => ({ body: JSON.stringify({ results }) }));
    expect((await rerank({ model: "rerank-v3.5" })).status).toBe(502);
  });
});
