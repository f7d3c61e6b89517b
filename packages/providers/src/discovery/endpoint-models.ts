import { Fault } from "@trunkline/core/fault.ts";
import { type AuthType, MODEL_TYPES_BY_WIRE, type ModelType, type Price, type Wire } from "@trunkline/core/model.ts";
import { scaleDecimal } from "@trunkline/core/money.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { DialFailure } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { findCompatibleProvider } from "../formats/openai/compatible-providers.ts";
import { type KnownModel, knownModelNamed, traitsOf } from "./known-models.ts";

/** An endpoint whose models are asked for. */
export interface EndpointQuery {
  readonly wire: Wire;
  readonly endpoint: string;
  readonly authType: AuthType;
  readonly credential: Secret | undefined;
  readonly mayDialPrivate: boolean;
}

/** A model at an endpoint, as it could be registered. */
export interface EndpointModel {
  /** Fit for a registration: without slashes. */
  readonly name: string;
  /** The endpoint's own name for it. */
  readonly upstreamModel: string;
  readonly type: ModelType;
  readonly description: string;
  /** undefined: unknown. */
  readonly price: Omit<Price, "version"> | undefined;
  /** Where the price is from: `endpoint`, or the known provider whose list price it is. */
  readonly priceSource: string | undefined;
  readonly capabilities: readonly string[];
  readonly streaming: boolean;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

/** The models at an endpoint, and its base URL as it was found to be. */
export interface EndpointModels {
  readonly endpoint: string;
  readonly models: readonly EndpointModel[];
}

export const IMPORTED_MODELS_MAX = 500;
const ANSWER_WITHIN_MS = 10_000;
const BYTES_MAX = 8 * 1024 * 1024;
/** An operation that was pasted together with the base URL. */
const OPERATION = /\/(?:chat\/completions|completions|responses|embeddings|messages|models)\/?$/i;
/** Providers that make their models themselves: elsewhere their list price is the best guess. */
const MAKERS = ["openai", "anthropic", "google", "mistral", "deepseek", "xai", "cohere", "moonshot", "zai"];

/** Asks an endpoint for its models. Throws a Fault that names the field which is wrong. */
export async function listEndpointModels(
  dialer: Dialer,
  query: EndpointQuery,
  signal: AbortSignal,
): Promise<EndpointModels> {
  const base = query.endpoint.trim().replace(OPERATION, "").replace(/\/+$/, "");
  const paths = listPathsOf(query.wire, base);
  if (paths.length === 0)
    throw new Fault(
      "invalid_request",
      `An API of the format ${query.wire} has no list of its models. Register them one by one.`,
      { param: "wire" },
    );
  for (const [index, { endpoint, path }] of paths.entries()) {
    const { status, body } = await askEndpoint(dialer, `${endpoint}${path}`, query, signal);
    if (status === 404 && index < paths.length - 1) continue;
    refuseStatus(status, query.credential !== undefined);
    const listed = listedModelsIn(body);
    if (listed === undefined || listed.length === 0) {
      if (index < paths.length - 1) continue;
      throw notAList(listed !== undefined);
    }
    return { endpoint, models: proposeModels(listed.slice(0, IMPORTED_MODELS_MAX), endpoint, query.wire) };
  }
  throw notAList(false);
}

/** Where the list may be. People leave out the version that is part of most base URLs. */
function listPathsOf(wire: Wire, base: string): readonly { readonly endpoint: string; readonly path: string }[] {
  if (wire === "openai") {
    const here = { endpoint: base, path: "/models" };
    return URL.canParse(base) && new URL(base).pathname === "/" ? [{ ...here, endpoint: `${base}/v1` }, here] : [here];
  }
  if (wire === "anthropic") return [{ endpoint: base.replace(/\/v1$/, ""), path: "/v1/models?limit=1000" }];
  if (wire === "gemini") return [{ endpoint: base.replace(/\/v1(beta)?$/, ""), path: "/v1beta/models?pageSize=1000" }];
  if (wire === "cohere") return [{ endpoint: base.replace(/\/v[12]$/, ""), path: "/v1/models?page_size=1000" }];
  return [];
}

async function askEndpoint(
  dialer: Dialer,
  url: string,
  { wire, authType, credential, mayDialPrivate }: EndpointQuery,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const limits = {
    connectMs: ANSWER_WITHIN_MS,
    firstByteMs: ANSWER_WITHIN_MS,
    silenceMs: ANSWER_WITHIN_MS,
    wholeMs: ANSWER_WITHIN_MS,
    responseBytes: BYTES_MAX,
    chunkBytes: BYTES_MAX,
  };
  try {
    const headers = { accept: "application/json", ...credentialHeaders(wire, authType, credential) };
    const reply = await dialer.get({ url, headers, mayDialPrivate, limits }, signal);
    if (reply.status !== 200) {
      reply.discardBody();
      return { status: reply.status, body: undefined };
    }
    const pieces: Buffer[] = [];
    for await (const piece of reply.body) pieces.push(piece);
    return { status: 200, body: parseJson(Buffer.concat(pieces).toString("utf8")) };
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    if (signal.aborted) throw error;
    throw new Fault("invalid_request", `The endpoint could not be asked for its models: ${error.message}.`, {
      param: "endpoint",
    });
  }
}

function credentialHeaders(
  wire: Wire,
  authType: AuthType,
  credential: Secret | undefined,
): Readonly<Record<string, string>> {
  const version = wire === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  if (credential === undefined || authType === "none") return version;
  if (authType === "bearer") return { ...version, authorization: `Bearer ${credential.reveal()}` };
  return { ...version, [wire === "gemini" ? "x-goog-api-key" : "x-api-key"]: credential.reveal() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuseStatus(status: number, hasCredential: boolean): void {
  if (status === 200) return;
  if (status === 401 || status === 403) {
    const message = hasCredential
      ? `The endpoint refused the key with status ${status}. Check the key, and that it belongs to this endpoint.`
      : `The endpoint needs a key: it answered with status ${status}.`;
    throw new Fault("invalid_request", message, { param: "credential" });
  }
  if (status === 404) throw notAList(false);
  throw new Fault(
    "invalid_request",
    `The endpoint answered with status ${status} when it was asked for its models. Try again, or check the URL.`,
    { param: "endpoint" },
  );
}

function notAList(isEmpty: boolean): Fault {
  const message = isEmpty
    ? "The endpoint lists no models."
    : "There is no list of models at this endpoint. Check the base URL and the API format.";
  return new Fault("invalid_request", message, { param: "endpoint" });
}

/** What a list says of a model. Most say the id alone. */
interface ListedModel {
  readonly id: string;
  readonly contextWindow: number | undefined;
  /** Nano-credits for a million tokens. */
  readonly price: { readonly input: bigint; readonly output: bigint } | undefined;
}

/** Reads `{"data": [{"id"}]}`, a bare list of the same, or `{"models": [{"name"}]}`; undefined: it is none of them. */
function listedModelsIn(answer: unknown): ListedModel[] | undefined {
  const list = Array.isArray(answer) ? answer : (fieldOf(answer, "data") ?? fieldOf(answer, "models"));
  if (!Array.isArray(list)) return undefined;
  const seen = new Set<string>();
  return list.flatMap((entry: unknown) => {
    const id = fieldOf(entry, "id") ?? fieldOf(entry, "name");
    if (typeof id !== "string" || !/^[\x21-\x7e]{1,256}$/.test(id)) return [];
    const upstream = id.replace(/^models\//, "");
    if (seen.has(upstream)) return [];
    seen.add(upstream);
    return [{ id: upstream, contextWindow: contextWindowIn(entry), price: priceIn(fieldOf(entry, "pricing")) }];
  });
}

function contextWindowIn(entry: unknown): number | undefined {
  for (const name of ["context_length", "context_window", "max_model_len", "inputTokenLimit"]) {
    const value = fieldOf(entry, name);
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= 100_000_000) return value;
  }
  return undefined;
}

/** A credit is a US dollar, and such lists have US dollars for one token: 15 decimals are nano-credits for a million. */
const TOKEN_PRICE_DECIMALS = 15;
/** At most 1,000 credits for a thousand tokens. */
const PRICE_MAX = 1_000_000n * 1_000_000_000n;

function priceIn(pricing: unknown): ListedModel["price"] {
  const [input, output] = [nanoPerMillion(fieldOf(pricing, "prompt")), nanoPerMillion(fieldOf(pricing, "completion"))];
  return input === undefined || output === undefined ? undefined : { input, output };
}

function nanoPerMillion(value: unknown): bigint | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (value === "") return undefined;
  const nano = scaleDecimal(Number(value), TOKEN_PRICE_DECIMALS);
  return nano === undefined || nano < 0n || nano > PRICE_MAX ? undefined : nano;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function proposeModels(listed: readonly ListedModel[], endpoint: string, wire: Wire): EndpointModel[] {
  const names = new Set<string>();
  const provider = findCompatibleProvider(endpoint)?.id ?? providerOfWire(wire, endpoint);
  return listed.map((model) => {
    const name = registrableName(model.id, names);
    names.add(name.toLowerCase());
    return proposeModel(model, name, provider, wire);
  });
}

/** The known provider at its own address. */
function providerOfWire(wire: Wire, endpoint: string): string | undefined {
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : "";
  if (wire === "anthropic" && host === "api.anthropic.com") return "anthropic";
  if (wire === "gemini" && host === "generativelanguage.googleapis.com") return "google";
  if (wire === "cohere" && /(^|\.)cohere\.(com|ai)$/.test(host)) return "cohere";
  return undefined;
}

function proposeModel(
  { id, contextWindow, price }: ListedModel,
  name: string,
  provider: string | undefined,
  wire: Wire,
): EndpointModel {
  const known = knownModelNamed(id, provider === undefined ? MAKERS : [provider]);
  const type = typeFor(wire, known?.type ?? guessType(id));
  const isKnownType = known !== undefined && known.type === type;
  const isChat = type === "text" || type === "multimodal";
  return {
    name,
    upstreamModel: id,
    type,
    description: isKnownType && provider !== undefined ? known.description : "",
    ...pricedBy(price, isKnownType ? known : undefined, type),
    capabilities: isKnownType ? known.capabilities : guessCapabilities(id, type),
    streaming: isChat,
    contextWindow: contextWindow ?? known?.contextWindow,
    maxOutputTokens: known?.maxOutputTokens,
  };
}

/** The price in the list goes before the list price of the model's maker. */
function pricedBy(listed: ListedModel["price"], known: KnownModel | undefined, type: ModelType) {
  if (listed !== undefined && type !== "image" && type !== "audio") {
    const free = { cachedInputPerMillion: undefined, cacheWritePerMillion: undefined };
    const fixed = { perImage: 0n, perRequest: 0n, perSecond: 0n };
    const price = { inputPerMillion: listed.input, outputPerMillion: listed.output, ...free, ...fixed };
    return { price, priceSource: "endpoint" };
  }
  return known === undefined
    ? { price: undefined, priceSource: undefined }
    : { price: known.price, priceSource: known.provider };
}

function typeFor(wire: Wire, type: ModelType): ModelType {
  return MODEL_TYPES_BY_WIRE[wire].includes(type) ? type : "text";
}

function guessType(id: string): ModelType {
  if (/embed|\be5\b|\bbge\b/i.test(id)) return "embedding";
  if (/dall-e|gpt-image|image-gen|imagen|stable-diffusion|\bsdxl\b|\bflux\b/i.test(id)) return "image";
  if (/\btts\b|whisper|transcribe/i.test(id)) return "audio";
  return traitsOf(id).vision ? "multimodal" : "text";
}

function guessCapabilities(id: string, type: ModelType): readonly string[] {
  if (type === "embedding" || type === "image" || type === "audio") return [type];
  return [
    "text",
    "chat",
    ...(type === "multimodal" ? ["vision"] : []),
    ...(traitsOf(id).tools ? ["tools"] : []),
    ...(traitsOf(id).json ? ["json"] : []),
  ];
}

const NAME_LENGTH_MAX = 128;

/** `meta-llama/Llama-3.3-70B` becomes `Llama-3.3-70B`; where that is taken, `meta-llama-Llama-3.3-70B`, and then with a number. */
function registrableName(id: string, taken: ReadonlySet<string>): string {
  const bare = cleanName(id.slice(id.lastIndexOf("/") + 1));
  const candidates = [bare, cleanName(id)].filter((name) => name !== "" && name.toLowerCase() !== "auto");
  const free = candidates.find((name) => !taken.has(name.toLowerCase()));
  if (free !== undefined) return free;
  const stem = (candidates[0] ?? "model").slice(0, NAME_LENGTH_MAX - 4);
  for (let number = 2; ; number++) {
    const name = `${stem}-${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

function cleanName(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._:-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, NAME_LENGTH_MAX);
}
