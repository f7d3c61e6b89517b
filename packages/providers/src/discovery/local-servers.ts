import { idFromName } from "@trunkline/core/id.ts";
import { DEFAULT_CALL_LIMITS, FREE_PRICE, type Model } from "@trunkline/core/model.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { traitsOf } from "./known-models.ts";
import { getJson, modelNamesIn } from "./list-models.ts";

/** Programs that serve models locally, and the ports they usually listen on. */
export const LOCAL_SERVERS: readonly { readonly id: string; readonly name: string; readonly port: number }[] = [
  { id: "ollama", name: "Ollama", port: 11_434 },
  { id: "llamacpp", name: "llama.cpp", port: 8_080 },
  { id: "vllm", name: "vLLM", port: 8_000 },
  { id: "lmstudio", name: "LM Studio", port: 1_234 },
];

/** On the same machine a response takes milliseconds, or there is no server. */
const LOCAL_ANSWER_MS_MAX = 1_000;
const NAMES_MAX = 500;
/** A model that was not used for a while is first loaded from disk. */
const MODEL_LOADING_MS = 120_000;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,255}$/;
/** The price version of local models. Their price is always 0. */
const LOCAL_PRICE_VERSION = "local";

/** A program that serves models on this machine. */
export interface LocalServer {
  readonly id: string;
  readonly name: string;
  /** Without a path. */
  readonly url: string;
  readonly models: readonly string[];
}

/**
 * Looks for such programs at some addresses of this machine, all at once. Other web servers, and this service itself,
 * are told apart by the form of their responses.
 */
export async function findLocalServers(
  dialer: Dialer,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const found = await Promise.all(addresses.map((url) => inspectServer(dialer, url, signal)));
  return found.flatMap((server) => server ?? []);
}

async function inspectServer(dialer: Dialer, url: string, signal: AbortSignal): Promise<LocalServer | undefined> {
  const ask = (path: string) =>
    getJson(dialer, { url: url + path, headers: {}, mayDialPrivate: true }, LOCAL_ANSWER_MS_MAX, signal);
  const [compatible, tags] = await Promise.all([ask("/v1/models"), ask("/api/tags")]);
  // Only Ollama responds to both; older versions of it respond only to `tags`.
  const names = isModelList(compatible) ? modelNamesIn(compatible) : undefined;
  const tagged = isTagList(tags) ? modelNamesIn(tags) : undefined;
  const models = (names ?? tagged ?? []).filter((name) => MODEL_NAME.test(name)).slice(0, NAMES_MAX);
  if (models.length === 0) return undefined;
  const kind = serverKindOf(url, compatible, tagged !== undefined);
  return { ...kind, url, models: [...new Set(models)] };
}

/** OpenAI's list has a type field. Our own is a bare array of other objects, and needs a key besides. */
function isModelList(answer: unknown): boolean {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "object" in answer &&
    answer.object === "list" &&
    "data" in answer &&
    Array.isArray(answer.data) &&
    answer.data.every(
      (entry: unknown) => typeof entry === "object" && entry !== null && "object" in entry && entry.object === "model",
    )
  );
}

/** Ollama's own list. */
function isTagList(answer: unknown): boolean {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "models" in answer &&
    Array.isArray(answer.models) &&
    answer.models.every((entry: unknown) => typeof entry === "object" && entry !== null && "digest" in entry)
  );
}

/** The program, by the owner that it gives for its models, and otherwise by its port. */
function serverKindOf(url: string, answer: unknown, hasTags: boolean): { id: string; name: string } {
  const owner = /"owned_by":"(vllm|llamacpp|library|organization_owner)"/.exec(JSON.stringify(answer ?? null))?.[1];
  const id = hasTags ? "ollama" : (KIND_BY_OWNER[owner ?? ""] ?? serverKindByPort(url));
  const server = LOCAL_SERVERS.find((known) => known.id === id);
  return server === undefined ? { id: "local", name: "A local server" } : { id: server.id, name: server.name };
}

const KIND_BY_OWNER: Readonly<Record<string, string | undefined>> = {
  vllm: "vllm",
  llamacpp: "llamacpp",
  library: "ollama",
  organization_owner: "lmstudio",
};

function serverKindByPort(url: string): string | undefined {
  const { port } = new URL(url);
  return LOCAL_SERVERS.find((known) => `${known.port}` === port)?.id;
}

/** The models of such a program: free, and visible to the operator's own account only. */
export function localModelsOf({ id, name: program, url, models }: LocalServer, operatorId: string): Model[] {
  return models.map((name) => {
    const modelTraits = traitsOf(name);
    const isEmbedding = /embed/i.test(name);
    return {
      id: idFromName(`${id}/${name} at ${url}`),
      provider: id,
      name,
      type: isEmbedding ? ("embedding" as const) : modelTraits.vision ? ("multimodal" as const) : ("text" as const),
      description: `Runs on this machine, in ${program}. It costs nothing, and only the operator's account sees it.`,
      accountId: operatorId,
      private: true,
      wire: "openai" as const,
      endpoint: `${url}/v1`,
      authType: "none" as const,
      credential: undefined,
      mayDialPrivate: true,
      price: { ...FREE_PRICE, version: LOCAL_PRICE_VERSION },
      capabilities: isEmbedding ? ["embedding"] : ["text", "chat", ...(modelTraits.tools ? ["tools"] : [])],
      specialties: [],
      avgLatencyMs: undefined,
      accuracyScore: undefined,
      costEfficiency: undefined,
      streaming: !isEmbedding,
      contextWindow: undefined,
      maxOutputTokens: undefined,
      backups: [],
      limits: { ...DEFAULT_CALL_LIMITS, firstByteMs: MODEL_LOADING_MS },
      state: "active" as const,
    };
  });
}
