import type { BodyOf, ChatBody } from "@trunkline/sdk";
import { checkOf } from "./answer-check.ts";
import type { AttachedFile, Reply, Turn } from "./conversation.ts";
import { jsonObjectIn } from "./json-text.ts";
import { type ChatMessage, type Column, compact, type Settings, stopsOf } from "./settings.ts";
import { toolIn } from "./tools.ts";

/** A request as one column sends it. */
export type SentRequest =
  | { readonly path: "/v1/chat/completions"; readonly body: ChatBody & { readonly model: string } }
  | { readonly path: "/v1/image"; readonly body: BodyOf<"POST /v1/image"> }
  | { readonly path: "/v1/audio"; readonly body: BodyOf<"POST /v1/audio"> };

/** What the routing preview is asked about. */
export type PreviewBody = BodyOf<"POST /v1/routing/preview">;

/** The request for the next reply to the last of these turns. */
export function requestOf(settings: Settings, column: Column, turns: readonly Turn[]): SentRequest {
  const { mode, size, voice, format } = settings;
  const input = turns.at(-1)?.text ?? "";
  const { model } = column;
  const named = model === "auto" ? {} : { model };
  if (mode === "image")
    return { path: "/v1/image", body: { input, ...named, ...routingOf(settings, column), ...compact({ size }) } };
  if (mode === "speech")
    return {
      path: "/v1/audio",
      body: { input, ...named, ...routingOf(settings, column), ...compact({ voice, format }) },
    };
  return {
    path: "/v1/chat/completions",
    body: {
      model,
      messages: messagesOf(settings, column, turns),
      ...samplingOf(settings),
      ...toolsOf(settings),
      ...formOf(settings),
      ...routingOf(settings, column),
      ...wishesOf(settings, column),
    },
  };
}

/** What one model has been told and has said, in OpenAI's form. */
export function messagesOf(
  { system, columns }: Settings,
  { id }: Column,
  turns: readonly Turn[],
): readonly ChatMessage[] {
  const messages: ChatMessage[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  for (const turn of turns) {
    messages.push({ role: "user", content: contentOf(turn) });
    // A model that was added later goes on from what the first one said.
    const said = [id, ...columns.map((other) => other.id)].find((other) => (turn.replies[other] ?? []).length > 0);
    for (const reply of turn.replies[said ?? id] ?? []) messages.push(...replyMessages(reply));
  }
  return messages;
}

function replyMessages({ status, text, calls }: Reply): readonly ChatMessage[] {
  if (status === "running" || (text === "" && calls.length === 0)) return [];
  if (calls.length === 0) return [{ role: "assistant", content: text }];
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      tool_calls: calls.map(({ id, name, arguments: given, signature }) => ({
        id,
        type: "function" as const,
        function: { name, arguments: given },
        ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
      })),
    },
    ...calls.map(({ id, result }) => ({ role: "tool" as const, tool_call_id: id, content: result ?? "" })),
  ];
}

type UserContent = Extract<ChatMessage, { readonly role: "user" }>["content"];

function contentOf({ text, files }: Turn): UserContent {
  const parts = files.flatMap((file) => (file.url === undefined ? [] : [partOf(file, file.url)]));
  if (parts.length === 0) return text;
  return [...parts, ...(text === "" ? [] : [{ type: "text" as const, text }])];
}

function partOf({ type, name }: AttachedFile, url: string) {
  if (type === "image") return { type: "image_url" as const, image_url: { url } };
  if (type === "file") return { type: "file" as const, file: { filename: name, file_data: url } };
  const format = /^data:audio\/(?:mpeg|mp3)/i.test(url) ? ("mp3" as const) : ("wav" as const);
  return { type: "input_audio" as const, input_audio: { data: url.slice(url.indexOf(",") + 1), format } };
}

function samplingOf(settings: Settings) {
  const stop = stopsOf(settings);
  return {
    ...compact({
      max_tokens: settings.maxTokens,
      temperature: settings.temperature,
      top_p: settings.topP,
      frequency_penalty: settings.frequencyPenalty,
      presence_penalty: settings.presencePenalty,
      seed: settings.seed,
      reasoning_effort: settings.effort,
      verbosity: settings.verbosity,
    }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}

function toolsOf({ tools, toolChoice, parallelCalls }: Settings) {
  const given = tools.flatMap((tool) => toolIn(tool) ?? []);
  if (given.length === 0) return {};
  return {
    tools: given.map((tool) => ({ type: "function" as const, function: tool })),
    ...(toolChoice === "auto" ? {} : { tool_choice: toolChoice }),
    ...(parallelCalls ? {} : { parallel_tool_calls: false }),
  };
}

function formOf({ answerForm, schema }: Settings): Pick<ChatBody, "response_format"> {
  if (answerForm === "json") return { response_format: { type: "json_object" } };
  const given = answerForm === "schema" ? jsonObjectIn(schema) : undefined;
  if (given === undefined) return {};
  return { response_format: { type: "json_schema", json_schema: { name: "answer", schema: given, strict: true } } };
}

function routingOf({ mode, preferences, fallbacks }: Settings, { route }: Column) {
  const wishes = compact(preferences);
  return {
    ...(route === "auto" || (route === "cascade" && mode !== "chat") ? {} : { route }),
    ...(Object.keys(wishes).length === 0 ? {} : { preferences: wishes }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
  };
}

/** What only text takes: its session, a second model beside it or after it, and the check of a cascade. */
function wishesOf({ session, hedges, continues, check }: Settings, { route }: Column) {
  const asked = route === "cascade" ? checkOf(check) : undefined;
  return {
    ...compact({ session }),
    ...(hedges ? { hedge: true } : {}),
    ...(continues ? {} : { continue: false }),
    ...(asked === undefined ? {} : { check: asked }),
  };
}

const TASK_OF_MODE = { chat: "chat", image: "image", speech: "audio" } as const;
/** Attachments larger than this are replaced by a small one of the same kind in a preview. */
const PREVIEWED_FILE_LENGTH = 50_000;

/** The same request as far as it matters to the routing: the next message alone. */
export function previewOf(
  settings: Settings,
  column: Column,
  input: string,
  files: readonly AttachedFile[],
): PreviewBody {
  const { mode, maxTokens, temperature, size, voice, format } = settings;
  const parameters =
    mode === "chat"
      ? compact({ max_tokens: maxTokens, temperature })
      : mode === "image"
        ? compact({ size })
        : compact({ voice, format });
  const attachments =
    mode === "chat" ? files.flatMap(({ type, url }) => (url === undefined ? [] : [{ type, url: shortened(url) }])) : [];
  return {
    task: TASK_OF_MODE[mode],
    input,
    ...(column.model === "auto" ? {} : { model: column.model }),
    ...routingOf(settings, column),
    ...(mode === "chat" ? wishesOf(settings, column) : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

function shortened(url: string): string {
  return url.length <= PREVIEWED_FILE_LENGTH ? url : url.slice(0, url.indexOf(",") + 1);
}
