import { answerMessage } from "../support/anthropic-upstream.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { events, type UpstreamAnswer, type UpstreamRequest } from "../support/scripted-upstream.ts";

interface Tool {
  readonly name: string;
  readonly schema: unknown;
}

/** What a model is asked, whatever the wire format. */
interface Question {
  /** All that was said. */
  readonly text: string;
  readonly tools: readonly Tool[];
  /** The tool that must be called. */
  readonly forced: string | undefined;
  /** Whether the last turn brings results of tools. */
  readonly hasResults: boolean;
  /** The schema of the answer. */
  readonly schema: unknown;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

const WORDS = "Here is what you wanted to know.";

/**
 * A model of any of four wire formats that does as it is asked: it calls the tools that the prompt names, or else the
 * first one, with arguments by their schemas, speaks once it has their results, and keeps to the schema of an answer.
 */
export function answerByTheBook(request: UpstreamRequest): UpstreamAnswer {
  const { path, json } = request;
  if (json === undefined) return { status: 404, body: "{}" };
  if (path.includes("/chat/completions")) return sayChat(request);
  if (path.includes("/messages")) return sayMessage(request);
  if (path.includes("/responses")) return sayResponse(request);
  return sayContent(request);
}

function decide({ text, tools, forced, hasResults, schema }: Question): string | readonly Call[] {
  if (schema !== undefined) return JSON.stringify(sampleOf(schema));
  const [first] = tools;
  if (first === undefined || (hasResults && forced === undefined)) return WORDS;
  const named = tools.filter(({ name }) => (forced === undefined ? text.includes(name) : name === forced));
  return (named.length === 0 ? [first] : named).map(({ name, schema: input }, index) => ({
    id: `call_${index}`,
    name,
    input: sampleOf(input),
  }));
}

/** A value that a schema allows. */
// biome-ignore lint/suspicious/noExplicitAny: a JSON schema.
function sampleOf(schema: any): unknown {
  if (schema?.enum !== undefined) return schema.enum[0];
  switch (String([schema?.type].flat()[0]).toLowerCase()) {
    case "integer":
    case "number":
      return 7;
    case "boolean":
      return true;
    case "array":
      return [sampleOf(schema.items)];
    case "string":
      return "San Francisco";
    default:
      return Object.fromEntries(
        Object.entries(schema?.properties ?? {}).map(([name, inner]) => [name, sampleOf(inner)]),
      );
  }
}

function sayChat(request: UpstreamRequest): UpstreamAnswer {
  const { messages, tools = [], tool_choice: choice, response_format: format } = request.json;
  const said = decide({
    text: JSON.stringify(messages),
    tools: tools.map(({ function: tool }: { function: { name: string; parameters: unknown } }) => ({
      name: tool.name,
      schema: tool.parameters,
    })),
    forced: choice?.function?.name,
    hasResults: messages.at(-1).role === "tool",
    schema: format?.json_schema?.schema,
  });
  if (typeof said === "string") return answerChat({ text: said })(request);
  const calls = said.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  return answerChat({ calls, finish: "tool_calls" })(request);
}

function sayMessage(request: UpstreamRequest): UpstreamAnswer {
  const { messages, system = "", tools = [], tool_choice: choice, output_config: output } = request.json;
  const last = messages.at(-1).content;
  const said = decide({
    text: JSON.stringify([system, messages]),
    tools: tools.map(({ name, input_schema: schema }: { name: string; input_schema: unknown }) => ({ name, schema })),
    forced: choice?.name,
    hasResults: Array.isArray(last) && last.some(({ type }) => type === "tool_result"),
    schema: output?.format?.schema,
  });
  if (typeof said === "string") return answerMessage([{ type: "text", text: said }])(request);
  return answerMessage(
    said.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    "tool_use",
  )(request);
}

function sayContent({ path, json }: UpstreamRequest): UpstreamAnswer {
  const { contents, systemInstruction, tools = [], toolConfig, generationConfig = {} } = json;
  const choice = toolConfig?.functionCallingConfig;
  const said = decide({
    text: JSON.stringify([systemInstruction, contents]),
    tools: (tools[0]?.functionDeclarations ?? []).map(
      (tool: { name: string; parameters?: unknown; parametersJsonSchema?: unknown }) => ({
        name: tool.name,
        schema: tool.parametersJsonSchema ?? tool.parameters,
      }),
    ),
    forced: choice?.mode === "ANY" ? choice.allowedFunctionNames?.[0] : undefined,
    hasResults: contents.at(-1).parts.some((part: object) => "functionResponse" in part),
    schema: generationConfig.responseJsonSchema ?? generationConfig.responseSchema,
  });
  // Gemini signs its calls.
  const parts =
    typeof said === "string"
      ? [{ text: said }]
      : said.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: "c2lnbmF0dXJl" }));
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 };
  const answer = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata };
  return path.includes("stream") ? stream(events(answer)) : { body: JSON.stringify(answer) };
}

/** OpenAI's Responses API, as OpenAI itself has it: only clients that are tried without the service speak it to this model. */
function sayResponse({ json }: UpstreamRequest): UpstreamAnswer {
  const { input, instructions = "", tools = [], tool_choice: choice, text } = json;
  const items = typeof input === "string" ? [{ type: "message", content: input }] : input;
  const said = decide({
    text: JSON.stringify([instructions, items]),
    tools: tools.map(({ name, parameters: schema }: { name: string; parameters: unknown }) => ({ name, schema })),
    forced: choice?.name,
    hasResults: items.at(-1).type === "function_call_output",
    schema: text?.format?.schema,
  });
  const output =
    typeof said === "string"
      ? [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: said, annotations: [] }],
          },
        ]
      : said.map(({ id, name, input: args }, index) => ({
          type: "function_call",
          id: `fc_${index}`,
          call_id: id,
          name,
          arguments: JSON.stringify(args),
          status: "completed",
        }));
  const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", status: "completed", output, usage };
  if (json.stream !== true) return { body: JSON.stringify(response) };
  const frames = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...output.flatMap(itemFrames),
    { type: "response.completed", response },
  ];
  return stream(events(...frames.map((frame, sequence_number) => ({ ...frame, sequence_number }))));
}

// biome-ignore lint/suspicious/noExplicitAny: an item of a response.
function itemFrames(item: any, output_index: number): { readonly type: string }[] {
  const place = { item_id: item.id, output_index };
  const added = (opened: object) => ({ type: "response.output_item.added", output_index, item: opened });
  const done = { type: "response.output_item.done", output_index, item };
  if (item.type === "function_call")
    return [
      added({ ...item, arguments: "" }),
      { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
      { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
      done,
    ] as { type: string }[];
  const [part] = item.content;
  return [
    added({ ...item, content: [] }),
    { type: "response.content_part.added", ...place, content_index: 0, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, content_index: 0, delta: part.text },
    { type: "response.output_text.done", ...place, content_index: 0, text: part.text },
    { type: "response.content_part.done", ...place, content_index: 0, part },
    done,
  ] as { type: string }[];
}

function stream(body: readonly string[]): UpstreamAnswer {
  return { headers: { "content-type": "text/event-stream" }, body };
}
