import { pickRandom, type Random } from "@trunkline/core/random.ts";
import type { ClientRequest } from "./client-formats.ts";

/** A way to spoil a request. */
interface Spoiler {
  readonly name: string;
  spoil(request: ClientRequest, random: Random): ClientRequest;
}

type Fields = Record<string, unknown>;

const withFields = (change: (fields: Fields, random: Random) => Fields): Spoiler["spoil"] => {
  return (request, random) => ({ ...request, body: JSON.stringify(change(JSON.parse(request.body), random)) });
};
const withText = (change: (body: string) => string): Spoiler["spoil"] => {
  return (request) => ({ ...request, body: change(request.body) });
};
const withHeaders = (headers: Record<string, string>): Spoiler["spoil"] => {
  return (request) => ({ ...request, headers: { ...request.headers, ...headers } });
};

const someField = (fields: Fields, random: Random): string =>
  pickRandom(random, Object.keys(fields) as [string, ...string[]]);

const WRONG_VALUES: readonly [unknown, ...unknown[]] = [
  42,
  "",
  "nonsense",
  [],
  {},
  true,
  -1,
  1e300,
  [[]],
  null,
  "\ud800",
];

const SPOILERS: readonly [Spoiler, ...Spoiler[]] = [
  {
    name: "wrong-value",
    spoil: withFields((fields, random) => ({
      ...fields,
      [someField(fields, random)]: pickRandom(random, WRONG_VALUES),
    })),
  },
  {
    name: "missing-field",
    spoil: withFields((fields, random) => {
      const left = someField(fields, random);
      return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== left));
    }),
  },
  {
    name: "unknown-fields",
    spoil: withFields((fields) => ({ ...fields, unheard_of: 1, "odd name!": { a: [1] }, top_z: null, logit_bias: {} })),
  },
  { name: "unknown-model", spoil: withFields((fields) => ({ ...fields, model: "nobody/knows-this" })) },
  { name: "odd-auto", spoil: withFields((fields) => ({ ...fields, model: "auto:luck" })) },
  {
    name: "wrong-numbers",
    spoil: withFields((fields, random) => ({
      ...fields,
      ...pickRandom<Fields>(random, [
        { max_tokens: 0 },
        { max_tokens: 10_000_000 },
        { max_tokens: 2.5 },
        { temperature: 9 },
        { temperature: -1 },
        { n: 99 },
        { parameters: { max_tokens: -3 } },
        { parameters: { temperature: "hot" } },
        { generationConfig: { candidateCount: 40 } },
        { generationConfig: { topP: 3 } },
      ]),
    })),
  },
  {
    name: "wrong-routing",
    spoil: withFields((fields, random) => ({
      ...fields,
      ...pickRandom<Fields>(random, [
        { route: "luck" },
        { route: 7 },
        { route: "cost", check: { regex: "a" } },
        { route: "cascade", check: { regexp: "a" } },
        { route: "cascade", check: { regex: "(a" } },
        { route: "cascade", check: { json_schema: { type: "strange" } } },
        { preferences: { max_cost: -1 } },
        { preferences: { max_cost: 0.000_000_000_1 } },
        { preferences: { min_quality: 2 } },
        { preferences: { speed: "ludicrous" } },
        { fallbacks: "spruce" },
        { fallbacks: ["no-such-model"] },
        { fallbacks: Array.from({ length: 17 }, () => "spruce") },
        { session: "" },
        { cache: { ttl: 0 } },
        { cache: { ttl: 60, similarity: 0.1 } },
        { continue: "yes" },
      ]),
    })),
  },
  { name: "no-json", spoil: withText((body) => body.slice(0, Math.floor(body.length / 2))) },
  { name: "empty-body", spoil: withText(() => "") },
  { name: "empty-object", spoil: withText(() => "{}") },
  { name: "an-array", spoil: withText((body) => `[${body}]`) },
  { name: "a-text", spoil: withText((body) => JSON.stringify(body)) },
  { name: "more-after-it", spoil: withText((body) => `${body} true`) },
  { name: "field-twice", spoil: withText((body) => body.replace("{", '{"model":"dune",')) },
  { name: "proto-field", spoil: withText((body) => body.replace("{", '{"__proto__":{"model":"dune"},')) },
  { name: "too-deep", spoil: withText((body) => body.replace("{", `{"deep":${"[".repeat(400)}${"]".repeat(400)},`)) },
  { name: "nul", spoil: withText((body) => body.replace(/ /, "\\u0000")) },
  { name: "lone-surrogate", spoil: withText((body) => body.replace(/ /, "\\ud83d")) },
  { name: "raw-control", spoil: withText((body) => body.replace(/ /, "\u0003")) },
  { name: "byte-order-mark", spoil: withText((body) => `\ufeff${body}`) },
  { name: "spaces-around", spoil: withText((body) => ` \r\n\t${body}\n `) },
  { name: "text-plain", spoil: withHeaders({ "content-type": "text/plain" }) },
  { name: "charset", spoil: withHeaders({ "content-type": "application/json; charset=utf-8" }) },
  { name: "latin-1", spoil: withHeaders({ "content-type": "application/json; charset=iso-8859-1" }) },
  { name: "long-idempotency-key", spoil: withHeaders({ "idempotency-key": "k".repeat(256) }) },
  { name: "cache-header", spoil: withHeaders({ "x-trunkline-cache": "ttl=300, similarity=0.95" }) },
  { name: "wrong-cache-header", spoil: withHeaders({ "x-trunkline-cache": "forever" }) },
  { name: "own-request-id", spoil: withHeaders({ "x-request-id": "mine-1", "x-client-request-id": "mine-2" }) },
  {
    name: "wrong-key",
    spoil: withHeaders({ authorization: "Bearer not-a-key", "x-goog-api-key": "x", "x-api-key": "x" }),
  },
  { name: "basic-key", spoil: withHeaders({ authorization: "Basic dXNlcjpwYXNz" }) },
  { name: "wrong-method", spoil: (request) => ({ ...request, method: "PUT" }) },
  { name: "wrong-path", spoil: (request) => ({ ...request, path: `${request.path}s` }) },
  { name: "slash-at-end", spoil: (request) => ({ ...request, path: `${request.path}/` }) },
  {
    name: "too-long-text",
    spoil: (request, random) =>
      random() < 0.8 ? request : { ...request, body: request.body.replace(/ /, ` ${"word ".repeat(90_000)}`) },
  },
];

/** The same request with something wrong, or odd, about it. */
export function spoil(
  request: ClientRequest,
  random: Random,
): { readonly request: ClientRequest; readonly how: string } {
  const spoiler = pickRandom(random, SPOILERS);
  return { request: spoiler.spoil(request, random), how: spoiler.name };
}
