import { readCheck } from "./answer-check.ts";
import {
  type AttachedFile,
  type Conversation,
  MOST_COLUMNS,
  newId,
  type Reply,
  type ReplyError,
  type ToolCall,
  type Turn,
} from "./conversation.ts";
import {
  ANSWER_FORMS,
  AUTO,
  type Column,
  compact,
  EFFORTS,
  FIRST_SETTINGS,
  MODES,
  ROUTES,
  type Settings,
  TOOL_CHOICES,
  VERBOSITIES,
} from "./settings.ts";
import { MOST_TOOLS } from "./tools.ts";

const MOST_TURNS = 200;

/** A conversation from storage or from a link, which may hold anything; undefined where it holds none. */
export function readConversation(kept: unknown): Conversation | undefined {
  const fields = recordOf(kept);
  if (fields === undefined || !Array.isArray(fields.turns)) return undefined;
  return {
    id: textOf(fields.id)?.slice(0, 64) ?? newId(),
    at: numberOf(fields.at) ?? 0,
    settings: readSettings(fields.settings),
    turns: fields.turns.slice(0, MOST_TURNS).flatMap((turn) => readTurn(turn) ?? []),
  };
}

export function readSettings(kept: unknown): Settings {
  const fields = recordOf(kept);
  if (fields === undefined) return FIRST_SETTINGS;
  const columns = listOf(fields.columns).slice(0, MOST_COLUMNS).map(readColumn);
  return {
    mode: oneOf(MODES, fields.mode) ?? "chat",
    system: textOf(fields.system) ?? "",
    columns: columns.length === 0 ? FIRST_SETTINGS.columns : columns,
    ...compact({
      maxTokens: numberOf(fields.maxTokens),
      temperature: numberOf(fields.temperature),
      topP: numberOf(fields.topP),
      frequencyPenalty: numberOf(fields.frequencyPenalty),
      presencePenalty: numberOf(fields.presencePenalty),
      seed: numberOf(fields.seed),
      stop: textOf(fields.stop),
      effort: oneOf(EFFORTS, fields.effort),
      verbosity: oneOf(VERBOSITIES, fields.verbosity),
      schema: textOf(fields.schema),
      size: textOf(fields.size),
      voice: textOf(fields.voice),
      format: textOf(fields.format),
      session: textOf(fields.session)?.slice(0, 256),
    }),
    tools: textsIn(fields.tools).slice(0, MOST_TOOLS),
    toolChoice: oneOf(TOOL_CHOICES, fields.toolChoice) ?? "auto",
    parallelCalls: fields.parallelCalls !== false,
    answerForm: oneOf(ANSWER_FORMS, fields.answerForm) ?? "text",
    check: readCheck(fields.check),
    hedges: fields.hedges === true,
    continues: fields.continues !== false,
    preferences: readPreferences(recordOf(fields.preferences)),
    fallbacks: textsIn(fields.fallbacks).slice(0, 16),
  };
}

function readColumn(kept: unknown, index: number): Column {
  const fields = recordOf(kept);
  return {
    id: textOf(fields?.id)?.slice(0, 64) ?? (index === 0 ? AUTO.id : newId()),
    model: textOf(fields?.model)?.slice(0, 256) ?? "auto",
    route: oneOf(ROUTES, fields?.route) ?? "auto",
  };
}

function readPreferences(fields: Fields | undefined): Settings["preferences"] {
  return compact({
    speed: oneOf(["fast", "balanced", "any"], fields?.speed),
    cost: oneOf(["low", "balanced", "any"], fields?.cost),
    quality: oneOf(["high", "balanced", "any"], fields?.quality),
    max_cost: numberOf(fields?.max_cost),
    max_latency_ms: numberOf(fields?.max_latency_ms),
    min_quality: numberOf(fields?.min_quality),
  });
}

function readTurn(kept: unknown): Turn | undefined {
  const fields = recordOf(kept);
  if (fields === undefined) return undefined;
  const replies = Object.entries(recordOf(fields.replies) ?? {}).slice(0, MOST_COLUMNS);
  return {
    id: textOf(fields.id)?.slice(0, 64) ?? newId(),
    text: textOf(fields.text) ?? "",
    files: listOf(fields.files)
      .slice(0, 16)
      .flatMap((file) => readFile(file) ?? []),
    replies: Object.fromEntries(
      replies.map(([column, list]) => [
        column,
        listOf(list)
          .slice(0, 64)
          .flatMap((reply) => readReply(reply) ?? []),
      ]),
    ),
  };
}

function readFile(kept: unknown): AttachedFile | undefined {
  const fields = recordOf(kept);
  const type = oneOf(["image", "audio", "file"], fields?.type);
  if (fields === undefined || type === undefined) return undefined;
  return { id: newId(), type, name: textOf(fields.name)?.slice(0, 256) ?? "", bytes: numberOf(fields.bytes) ?? 0 };
}

function readReply(kept: unknown): Reply | undefined {
  const fields = recordOf(kept);
  if (fields === undefined) return undefined;
  const status = oneOf(["done", "stopped", "failed"], fields.status) ?? "stopped";
  const models = textsIn(fields.models);
  return {
    status,
    text: textOf(fields.text) ?? "",
    calls: listOf(fields.calls)
      .slice(0, 64)
      .flatMap((call) => readCall(call) ?? []),
    ...compact({
      thinking: textOf(fields.thinking),
      mediaUrl: textOf(fields.mediaUrl),
      model: textOf(fields.model),
      models: models.length === 0 ? undefined : models,
      cost: numberOf(fields.cost),
      inputTokens: numberOf(fields.inputTokens),
      outputTokens: numberOf(fields.outputTokens),
      requestId: textOf(fields.requestId),
      firstMs: numberOf(fields.firstMs),
      totalMs: numberOf(fields.totalMs),
      error: readError(recordOf(fields.error)),
    }),
  };
}

function readCall(kept: unknown): ToolCall | undefined {
  const fields = recordOf(kept);
  const [id, name] = [textOf(fields?.id), textOf(fields?.name)];
  if (fields === undefined || id === undefined || name === undefined) return undefined;
  return {
    id,
    name,
    arguments: textOf(fields.arguments) ?? "{}",
    ...(typeof fields.result === "string" ? { result: fields.result } : {}),
    ...compact({ signature: textOf(fields.signature) }),
  };
}

function readError(fields: Fields | undefined): ReplyError | undefined {
  if (fields === undefined) return undefined;
  return {
    type: textOf(fields.type) ?? "",
    message: textOf(fields.message) ?? "",
    ...compact({ cost: numberOf(fields.cost) }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsIn(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

function oneOf<const Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined {
  return choices.find((choice) => choice === value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
