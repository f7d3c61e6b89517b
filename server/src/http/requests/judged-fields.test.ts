import type { Inference } from "@trunkline/core/inference.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import { requestPassages } from "@trunkline/guard/screen/request-passages.ts";
import { describe, expect, it } from "vitest";
import type { RequestMetadata } from "../endpoints/endpoint.ts";
import { buildOpenApiDocument, openApiPathOf } from "../openapi/openapi-document.ts";
import { ALL_ENDPOINTS } from "../server/endpoint-registry.ts";
import { FormFile } from "./read-body.ts";

type Body = Readonly<Record<string, unknown>>;

/** The words that were put into a request, and the channel in which the safety check must read them. */
const expected = new Map<string, Channel>();

function words(channel: Channel): string {
  const mark = `mark${expected.size}x`;
  expected.set(mark, channel);
  return `please note these words ${mark}`;
}
const user = () => words("user");
const application = () => words("application");
const document = () => words("document");
const joined = (text: string) => text.replaceAll(" ", "_");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const textFile = () => `data:text/plain;base64,${base64(document())}`;
const address = () => `https://example.test/${user().replaceAll(" ", "-")}/a.png`;
const jsonSchema = () => ({ type: "object", properties: { q: { type: "string", description: application() } } });

/**
 * Fields for text that no provider reads as text: they stay here, must be one of a list that the service knows, or are
 * data of a kind that is not text.
 */
const NOT_SENT = [
  "task",
  "preferences.data_regions[]",
  "tags.*",
  "session",
  "check.json_schema.*",
  "check.regex",
  "include[]",
  "reasoning.*",
  "provider.*",
  "provider.order[]",
  "provider.only[]",
  "provider.ignore[]",
  "provider.max_price.prompt",
  "provider.max_price.completion",
  "provider.max_price.request",
  "provider.max_price.image",
  // What they stand for is judged as the items of the input are.
  "previous_response_id",
  "conversation",
  "conversation.id",
  "input[].id",
  // A file is judged as one that the request holds itself.
  "messages[].content[].file.file_id",
  "input[].content[].file_id",
  "input[].output[].file_id",
];
const LISTED = [
  "model",
  "fallbacks[]",
  "models[]",
  "size",
  "parameters.size",
  "temperature",
  "tool_choice.*",
  "tool_choice.type",
  "tool_choice.name",
  "tool_choice.function.name",
  "tool_choice.custom.name",
  "tools[].format.type",
  "tools[].custom.format.type",
  "tools[].tools[].format.type",
  "tool_choice.allowed_tools.tools[].function.name",
  "function_call.name",
  "toolConfig.functionCallingConfig.allowedFunctionNames[]",
  "generationConfig.responseMimeType",
  "generationConfig.thinkingConfig.thinkingLevel",
  // An id must be that of a call before, or is judged there.
  "messages[].tool_call_id",
  "messages[].content[].tool_use_id",
  // The file is put in the place of its id before the request is judged.
  "messages[].content[].source.file_id",
  "messages[].content[].source.content[].source.file_id",
  "messages[].content[].content[].source.file_id",
  "messages[].content[].content[].source.content[].source.file_id",
  // Media types have a pattern of their own.
  "messages[].content[].source.media_type",
  "messages[].content[].content[].source.media_type",
  "contents[].parts[].inlineData.mimeType",
  "contents[].parts[].fileData.mimeType",
];
const SOUND = [
  "messages[].content[].input_audio.data",
  "input[].content[].input_audio.data",
  "input[].output[].input_audio.data",
];
/** Only the texts of a system instruction are read. */
const IGNORED = /^systemInstruction\.parts\[\]\.(?!text$)/;

/** A body with words in every other field for text. The words say in which channel they are judged. */
interface Sample {
  readonly body: Body;
  /** Fields that stand for the same as another one, or where a body can hold only one of two. */
  readonly otherForms?: readonly string[];
}

const native = (more: Body = {}): Sample => ({
  body: {
    task: "chat",
    input: user(),
    attachments: [
      { type: "image", url: textFile() },
      { type: "file", url: textFile() },
      { type: "image", url: address() },
    ],
    parameters: { voice: application(), format: application(), stop: application(), system: application(), ...more },
  },
  otherForms: ["voice", "format"],
});

const grammar = () => ({ type: "grammar", syntax: "lark", definition: application() });
const customTool = () => ({ name: joined(application()), description: application() });
const call = () => ({ name: joined(application()), arguments: JSON.stringify({ q: application() }) });
const CHAT: Sample = {
  body: {
    model: "acme/model",
    messages: [
      { role: "system", content: application() },
      { role: "developer", content: [{ type: "text", text: application() }] },
      {
        role: "user",
        content: [
          { type: "text", text: user() },
          { type: "image_url", image_url: { url: address() } },
          {
            type: "image_url",
            image_url: { url: `data:image/svg+xml,${encodeURIComponent(`<svg><text>${document()}</text></svg>`)}` },
          },
          { type: "file", file: { file_data: textFile(), filename: joined(user()) } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: application() },
          { type: "refusal", refusal: application() },
        ],
      },
      {
        role: "assistant",
        reasoning_content: application(),
        tool_calls: [{ id: "call_1", type: "function", function: call() }],
      },
      { role: "tool", tool_call_id: "call_1", content: document() },
      { role: "assistant", function_call: { ...call(), name: "look" } },
      { role: "function", name: "look", content: document() },
      { role: "assistant", tool_calls: [{ id: joined(application()), type: "function", function: call() }] },
      {
        role: "assistant",
        tool_calls: [{ id: "call_2", type: "custom", custom: { name: joined(application()), input: application() } }],
      },
    ],
    tools: [
      { type: "custom", custom: { ...customTool(), format: { type: "grammar", grammar: grammar() } } },
      {
        type: "function",
        function: { name: joined(application()), description: application(), parameters: jsonSchema() },
      },
    ],
    response_format: {
      type: "json_schema",
      json_schema: { name: joined(application()), description: application(), schema: jsonSchema() },
    },
    stop: [application()],
    user: application(),
    metadata: { note: application(), [joined(application())]: "1" },
    prompt_cache_key: application(),
    safety_identifier: application(),
  },
  otherForms: ["stop", "functions[].name", "functions[].description", "functions[].parameters.*"],
};

const RESPONSES: Sample = {
  body: {
    model: "acme/model",
    instructions: application(),
    input: [
      { role: "user", content: user() },
      {
        role: "user",
        content: [
          { type: "input_text", text: user() },
          { type: "input_image", image_url: address() },
          { type: "input_file", file_data: textFile(), filename: joined(user()) },
          { type: "input_file", file_url: address() },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "output_text", text: application() },
          { type: "refusal", refusal: application() },
        ],
      },
      { type: "reasoning", summary: [{ type: "summary_text", text: application() }] },
      { type: "function_call", call_id: "call_9", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_9", output: document() },
      { type: "function_call", call_id: joined(application()).slice(-40), ...call() },
      { type: "custom_tool_call", call_id: "call_8", name: joined(application()), input: application() },
    ],
    tools: [
      { type: "function", name: joined(application()), description: application(), parameters: jsonSchema() },
      { type: "custom", ...customTool(), format: grammar() },
      {
        type: "namespace",
        name: "team",
        tools: [
          { type: "function", name: joined(application()), description: application(), parameters: jsonSchema() },
          { type: "custom", ...customTool(), format: grammar() },
        ],
      },
    ],
    text: {
      format: { type: "json_schema", name: joined(application()), description: application(), schema: jsonSchema() },
    },
    user: application(),
    prompt_cache_key: application(),
    safety_identifier: application(),
  },
  otherForms: [
    // Given back to the client, and not sent.
    "metadata.*",
    "input",
    "input[].output[].text",
    "input[].output[].image_url",
    "input[].output[].file_data",
    "input[].output[].file_url",
    "input[].output[].filename",
  ],
};

const source = () => ({ type: "url", url: address() });
const MESSAGES: Sample = {
  body: {
    model: "acme/model",
    max_tokens: 5,
    system: [{ type: "text", text: application() }],
    messages: [
      { role: "user", content: user() },
      {
        role: "user",
        content: [
          { type: "text", text: user() },
          { type: "image", source: source() },
          { type: "document", source: { type: "text", media_type: "text/plain", data: user() }, title: user() },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: application(), signature: application() },
          { type: "text", text: application() },
          { type: "tool_use", id: "toolu_1", name: joined(application()), input: { q: application() } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: document() }] }],
      },
      { role: "assistant", content: [{ type: "tool_use", id: joined(application()), name: "look", input: {} }] },
    ],
    tools: [{ name: joined(application()), description: application(), input_schema: jsonSchema() }],
    output_config: { format: { type: "json_schema", schema: jsonSchema() } },
    stop_sequences: [application()],
    metadata: { user_id: application() },
  },
  otherForms: [
    "system",
    "output_format.schema.*",
    "messages[].content[].content",
    "messages[].content[].source",
    "messages[].content[].source.content",
    "messages[].content[].source.content[].text",
    "messages[].content[].source.content[].source.media_type",
    "messages[].content[].source.content[].source.data",
    "messages[].content[].source.content[].source.url",
    "messages[].content[].content[].source.content[].text",
    "messages[].content[].content[].source.content[].source.media_type",
    "messages[].content[].content[].source.content[].source.data",
    "messages[].content[].content[].source.content[].source.url",
    "messages[].content[].data",
    "messages[].content[].content[].source",
    "messages[].content[].content[].source.data",
    "messages[].content[].content[].source.url",
    "messages[].content[].content[].source.content",
    "messages[].content[].content[].title",
    "messages[].content[].content[].content[].text",
  ],
};

const GEMINI: Sample = {
  body: {
    systemInstruction: { parts: [{ text: application() }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: user() },
          { inlineData: { mimeType: "image/svg+xml", data: base64(document()) } },
          { fileData: { fileUri: address() } },
        ],
      },
      {
        role: "model",
        parts: [
          { text: application(), thought: true, thoughtSignature: application() },
          { functionCall: { id: joined(application()), name: joined(application()), args: { q: application() } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: joined(application()), name: joined(application()), response: { a: document() } } },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: joined(application()), description: application(), parametersJsonSchema: jsonSchema() },
        ],
      },
    ],
    generationConfig: {
      stopSequences: [application()],
      responseMimeType: "application/json",
      responseJsonSchema: jsonSchema(),
    },
  },
  otherForms: ["tools[].functionDeclarations[].parameters.*", "generationConfig.responseSchema.*"],
};

const SAMPLES: Readonly<Record<string, Sample>> = {
  "/v1/ai/request": native(),
  "/v1/generate": native(),
  "/v1/stream": native(),
  "/v1/image": native(),
  "/v1/audio": native(),
  "/v1/embeddings": {
    body: { input: [user()], parameters: { voice: application(), format: application() } },
    otherForms: ["input"],
  },
  "/openai/v1/chat/completions": CHAT,
  "/openai/v1/completions": {
    body: { model: "acme/model", prompt: user(), stop: [application()], user: application() },
    otherForms: ["prompt[]", "stop"],
  },
  "/openai/v1/responses": RESPONSES,
  "/openai/v1/embeddings": {
    body: { model: "acme/model", input: [user()], user: application() },
    otherForms: ["input"],
  },
  "/openai/v1/rerank": {
    body: { model: "acme/model", query: user(), documents: [user(), { text: user() }] },
    otherForms: ["documents[]", "documents[].*"],
  },
  "/openai/v1/images/generations": { body: { prompt: user(), user: application() } },
  "/openai/v1/images/edits": {
    body: {
      image: [new FormFile(`${joined(user())}.png`, "image/png", Buffer.from([0, 1]))],
      mask: new FormFile(`${joined(user())}.png`, "image/png", Buffer.from([0, 1])),
      prompt: user(),
      user: application(),
    },
    otherForms: ["image", "n", "output_compression"],
  },
  "/openai/v1/images/variations": {
    body: { image: new FormFile(`${joined(user())}.png`, "image/png", Buffer.from([0, 1])), user: application() },
    otherForms: ["n"],
  },
  "/openai/v1/audio/speech": {
    body: { model: "acme/model", input: user(), voice: { id: application() }, instructions: application() },
    otherForms: ["voice"],
  },
  "/openai/v1/audio/transcriptions": {
    body: {
      model: "acme/model",
      file: new FormFile(`${joined(user())}.mp3`, "audio/mpeg", Buffer.from([0, 1])),
      language: application(),
      prompt: user(),
    },
  },
  "/openai/v1/audio/translations": {
    body: {
      model: "acme/model",
      file: new FormFile(`${joined(user())}.mp3`, "audio/mpeg", Buffer.from([0, 1])),
      prompt: user(),
    },
  },
  "/anthropic/v1/messages": MESSAGES,
  "/ollama/api/chat": {
    body: {
      model: "acme/model",
      messages: [
        { role: "system", content: application() },
        { role: "user", content: user() },
        {
          role: "assistant",
          content: application(),
          thinking: application(),
          tool_calls: [
            { id: joined(application()), function: { name: joined(application()), arguments: { q: application() } } },
          ],
        },
        { role: "tool", content: document(), tool_name: joined(application()) },
      ],
      tools: [
        {
          type: "function",
          function: { name: joined(application()), description: application(), parameters: jsonSchema() },
        },
      ],
      format: jsonSchema(),
      options: { stop: [application()] },
    },
    otherForms: ["messages[].images[]", "options.stop", "options.*"],
  },
  "/ollama/api/generate": {
    body: {
      model: "acme/model",
      prompt: user(),
      system: application(),
      format: jsonSchema(),
      options: { stop: [application()] },
    },
    otherForms: ["images[]", "options.stop", "options.*"],
  },
  "/ollama/api/embed": { body: { model: "acme/model", input: [user()] }, otherForms: ["input"] },
  "/gemini/v1/models/*:embedContent": {
    body: { content: { parts: [{ text: user() }] }, title: application(), taskType: joined(application()) },
  },
  "/gemini/v1/models/*:batchEmbedContents": {
    body: {
      requests: [{ content: { parts: [{ text: user() }] }, title: application(), taskType: joined(application()) }],
    },
    otherForms: ["requests[].model"],
  },
};

const REQUEST: Pick<RequestMetadata, "params" | "headers"> = { params: { "*": "acme/model:generate" }, headers: {} };
const openApi = buildOpenApiDocument(ALL_ENDPOINTS);
const endpoints = ALL_ENDPOINTS.flatMap((endpoint) => (endpoint.kind === "inference" ? [endpoint] : []));

interface JsonSchema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** The fields of a body that can hold any text. The schema itself says which fields are numbers or choices. */
function textFields(schema: JsonSchema, path: string, found: Set<string>): Set<string> {
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  for (const form of forms) textFields(form, path, found);
  if (schema.enum !== undefined || schema.const !== undefined) return found;
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    textFields(field, path === "" ? name : `${path}.${name}`, found);
  if (schema.items !== undefined) textFields(schema.items, `${path}[]`, found);
  if (typeof schema.additionalProperties === "object" && path !== "")
    textFields(schema.additionalProperties, `${path}.*`, found);
  if (path !== "" && (schema.type === "string" || (schema.type === undefined && forms.length === 0))) found.add(path);
  return found;
}

function textFieldsOf(path: string): string[] {
  const operation = openApi.paths[openApiPathOf(path)] as {
    readonly post: { readonly requestBody: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> } };
  };
  const found = new Set<string>();
  for (const { schema } of Object.values(operation.post.requestBody.content)) textFields(schema, "", found);
  return [...found];
}

/** The fields of a sample, as paths like those of the schema. */
function pathsOf(value: unknown, path: string, found: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const item of value) pathsOf(item, `${path}[]`, found);
  else if (typeof value === "object" && value !== null && !(value instanceof FormFile))
    for (const [name, field] of Object.entries(value)) pathsOf(field, path === "" ? name : `${path}.${name}`, found);
  else found.add(path);
  return found;
}

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))(
  "the safety check of %s",
  (path, endpoint) => {
    const { body, otherForms = [] } =
      SAMPLES[path.replace("/v1beta/", "/v1/")] ?? (path.startsWith("/gemini/") ? GEMINI : (SAMPLES[path] as Sample));

    it("knows every field for text", () => {
      const known = [...pathsOf(body, "", new Set())];
      const elsewhere = new Set([...NOT_SENT, ...LISTED, ...SOUND, ...otherForms]);
      const isKnown = (field: string) =>
        elsewhere.has(field) ||
        IGNORED.test(field) ||
        known.some((one) => one === field || one.startsWith(field.endsWith(".*") ? field.slice(0, -1) : `${field}.`));
      expect(textFieldsOf(path).filter((field) => !isKnown(field))).toEqual([]);
    });

    it("reads the words of every field in their channel", () => {
      const passages = requestPassages(endpoint.read(body, REQUEST as RequestMetadata) as Inference);
      const json = JSON.stringify(body, (_name, value) => (value instanceof FormFile ? value.name : value));
      const decoded = json.match(/[A-Za-z0-9+/=]{24,}/g)?.map((data) => Buffer.from(data, "base64").toString()) ?? [];
      const sample = [json, ...decoded].join("\n");
      const missed = [...expected].filter(([mark, channel]) => {
        const isHere = sample.includes(mark);
        return isHere && !passages.some((passage) => passage.channel === channel && passage.text.includes(mark));
      });
      expect(missed).toEqual([]);
    });
  },
);
