import { Fault } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import type { RequestMetadata } from "../endpoints/endpoint.ts";
import { readModerations } from "../formats/openai/moderations.ts";
import { buildOpenApiDocument, openApiPathOf } from "../openapi/openapi-document.ts";
import { ALL_ENDPOINTS } from "../server/endpoint-registry.ts";
import { FormFile } from "./read-body.ts";

type Body = Readonly<Record<string, unknown>>;

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
}

/** Bodies of one operation that together lead its reader to every field. */
interface Sample {
  /** A body without optional fields. */
  readonly minimal: Body;
  /** What is added to it, one after the other, so that the reader enters the objects that the document describes. */
  readonly additions: readonly Body[];
  /** Fields that are looked at only to refuse them. The document does not list these. */
  readonly refused?: readonly string[];
}

const ROUTING = { preferences: {}, cache: { ttl: 60 } };
const CASCADE = { ...ROUTING, route: "cascade", check: {} };
const OPENROUTER = { provider: { max_price: {} } };
const MODEL = "acme/model";
const JSON_FORMAT = { type: "json_schema", schema: {} };
const PICTURE = new FormFile("a.png", "image/png", Buffer.from("a"));
const SOUND = new FormFile("a.mp3", "audio/mpeg", Buffer.from("a"));
const MESSAGES = [{ role: "user", content: "Hello" }];

const native = (minimal: Body, routing: Body = CASCADE): Sample => ({
  minimal,
  additions: [{ ...routing, parameters: {} }],
});

const gemini: Sample = {
  minimal: { contents: [{ parts: [{ text: "Hello" }] }] },
  additions: [
    { ...CASCADE, systemInstruction: {}, toolConfig: { functionCallingConfig: {} }, generationConfig: {} },
    { generationConfig: { responseLogprobs: true, thinkingConfig: {} } },
  ],
  refused: ["cachedContent"],
};

const CONTENT = { parts: [{ text: "Hello" }] };
const geminiEmbedding: Sample = { minimal: { content: CONTENT }, additions: [] };
const geminiEmbeddings: Sample = { minimal: { requests: [{ content: CONTENT }] }, additions: [] };

const SAMPLES: Readonly<Record<string, Sample>> = {
  "/v1/ai/request": native({ task: "chat", input: "Hello" }),
  "/v1/generate": native({ input: "Hello" }),
  "/v1/stream": native({ input: "Hello" }),
  "/v1/image": native({ input: "Hello" }, ROUTING),
  "/v1/audio": native({ input: "Hello" }, ROUTING),
  "/v1/embeddings": native({ input: "Hello" }, ROUTING),
  "/openai/v1/chat/completions": {
    minimal: { model: MODEL, messages: MESSAGES },
    additions: [{ ...CASCADE, ...OPENROUTER, stream_options: {}, reasoning: {}, usage: {} }],
  },
  "/openai/v1/completions": {
    minimal: { model: MODEL, prompt: "Hello" },
    additions: [{ ...CASCADE, ...OPENROUTER, stream_options: {}, usage: {} }],
  },
  "/openai/v1/responses": {
    minimal: { model: MODEL, input: "Hello" },
    additions: [{ ...CASCADE, ...OPENROUTER, text: {}, reasoning: {} }],
    refused: ["prompt", "background"],
  },
  "/openai/v1/embeddings": { minimal: { model: MODEL, input: "Hello" }, additions: [ROUTING] },
  "/openai/v1/rerank": { minimal: { model: MODEL, query: "Hello", documents: ["One"] }, additions: [ROUTING] },
  "/openai/v1/images/generations": { minimal: { prompt: "Hello" }, additions: [ROUTING], refused: ["stream"] },
  "/openai/v1/images/edits": {
    minimal: { image: PICTURE, prompt: "Hello" },
    additions: [],
    refused: ["stream"],
  },
  "/openai/v1/images/variations": { minimal: { image: PICTURE }, additions: [] },
  "/openai/v1/audio/speech": {
    minimal: { model: MODEL, input: "Hello" },
    additions: [ROUTING],
    refused: ["stream_format"],
  },
  "/openai/v1/audio/transcriptions": {
    minimal: { model: MODEL, file: SOUND },
    additions: [{ response_format: "verbose_json" }],
  },
  "/openai/v1/audio/translations": { minimal: { model: MODEL, file: SOUND }, additions: [] },
  "/openai/v1/moderations": { minimal: { input: "Hello" }, additions: [] },
  "/anthropic/v1/messages": {
    minimal: { model: MODEL, messages: MESSAGES, max_tokens: 5 },
    additions: [
      {
        ...CASCADE,
        cache_control: { type: "ephemeral" },
        metadata: {},
        output_config: { format: JSON_FORMAT },
        thinking: { type: "enabled", budget_tokens: 5 },
        tools: [{ name: "look_up", input_schema: {} }],
        tool_choice: { type: "tool", name: "look_up" },
      },
      { output_config: {}, output_format: JSON_FORMAT },
    ],
  },
  "/ollama/api/chat": {
    minimal: { model: MODEL, messages: MESSAGES },
    additions: [{ ...CASCADE, options: {} }],
  },
  "/ollama/api/generate": { minimal: { model: MODEL, prompt: "Hello" }, additions: [{ ...CASCADE, options: {} }] },
  "/ollama/api/embed": { minimal: { model: MODEL, input: "Hello" }, additions: [ROUTING] },
  "/gemini/v1beta/models/*:generateContent": gemini,
  "/gemini/v1beta/models/*:streamGenerateContent": gemini,
  "/gemini/v1beta/models/*:embedContent": geminiEmbedding,
  "/gemini/v1beta/models/*:batchEmbedContents": geminiEmbeddings,
  "/gemini/v1/models/*:embedContent": geminiEmbedding,
  "/gemini/v1/models/*:batchEmbedContents": geminiEmbeddings,
  "/gemini/v1/models/*:generateContent": gemini,
  "/gemini/v1/models/*:streamGenerateContent": gemini,
};

const REQUEST: Pick<RequestMetadata, "params" | "headers"> = { params: { "*": `${MODEL}:generate` }, headers: {} };

const document = buildOpenApiDocument(ALL_ENDPOINTS);
const readers = new Map<string, (body: unknown) => unknown>(
  ALL_ENDPOINTS.flatMap((endpoint) =>
    endpoint.kind === "inference"
      ? [[endpoint.path, (body: unknown) => endpoint.read(body, REQUEST as RequestMetadata)] as const]
      : [],
  ),
);
readers.set("/openai/v1/moderations", readModerations);

/** The fields that the document has for an operation's body, by their paths. Items of lists are not among them. */
function documentedFields(path: string): Set<string> {
  const operation = document.paths[openApiPathOf(path)] as {
    readonly post: { readonly requestBody: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> } };
  };
  const paths = new Set<string>();
  const collect = (schema: JsonSchema, prefix: string) => {
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      paths.add(`${prefix}${name}`);
      collect(inner, `${prefix}${name}.`);
    }
    const objects = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined);
    // Where a field can be one of several objects, its reader tells them apart.
    if (objects.length === 1) for (const object of objects) collect(object, prefix);
  };
  for (const { schema } of Object.values(operation.post.requestBody.content)) collect(schema, "");
  return paths;
}

/** A body that notes each field that is asked for and absent. A loop over the fields that are there notes nothing. */
function spyOn(value: Body, prefix: string, asked: Set<string>): Body {
  return new Proxy(value, {
    get(target, name) {
      if (typeof name !== "string") return Reflect.get(target, name);
      const inner = target[name];
      if (inner === undefined) asked.add(`${prefix}${name}`);
      const isPlain = typeof inner === "object" && inner !== null && Object.getPrototypeOf(inner) === Object.prototype;
      return isPlain ? spyOn(inner as Body, `${prefix}${name}.`, asked) : inner;
    },
  });
}

/** The same body with another value at a path. */
function withValue(body: Body, path: string, value: unknown): Body {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...body, [name]: value };
  return { ...body, [name]: withValue((body[name] ?? {}) as Body, rest.join("."), value) };
}

/**
 * No field takes a bigint, which JSON does not have: a reader that looks at the value refuses it by the field's name, or
 * by that of the object around it.
 */
function isRefusedByName(read: (body: unknown) => unknown, body: Body, path: string): boolean {
  try {
    read(withValue(body, path, 0n));
    return false;
  } catch (error) {
    if (!(error instanceof Fault) || error.details.param === undefined) throw error;
    return `${path}.`.startsWith(`${error.details.param}.`);
  }
}

/** Parameters that most providers know are understood where their value makes sense, and passed on otherwise. */
function isKnownParameter(read: (body: unknown) => unknown, body: Body, path: string): boolean {
  const [parent, name = ""] = path.split(".");
  if (parent !== "parameters") return false;
  return [1, "low"].some((value) => {
    const { parameters } = read(withValue(body, path, value)) as { parameters: { others: Body } };
    return !(name in parameters.others);
  });
}

describe("the fields of request bodies", () => {
  it("have a sample for every operation", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...readers.keys()].sort());
  });

  describe.each(Object.entries(SAMPLES))("of %s", (path, { minimal, additions, refused = [] }) => {
    const read = readers.get(path) as (body: unknown) => unknown;
    const bodies = [minimal, ...additions.map((addition) => ({ ...minimal, ...addition }))];
    const documented = documentedFields(path);
    const asked = new Set<string>();
    for (const body of bodies) read(spyOn(body, "", asked));

    it("are in the OpenAPI document where they are read", () => {
      expect([...asked].filter((name) => !documented.has(name)).sort()).toEqual([...refused].sort());
    });

    it("are read where they are in the OpenAPI document", () => {
      const isRead = (name: string) =>
        asked.has(name) ||
        bodies.some((body) => isRefusedByName(read, body, name)) ||
        isKnownParameter(read, minimal, name);
      const unread = [...documented].filter((name) => !isRead(name));
      expect(unread).toEqual([]);
    });
  });
});
