import { Agent, request as send } from "node:http";
import { createSeededRandom, type Random } from "@trunkline/core/random.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { trunklineDialect } from "../../src/http/formats/dialect.ts";
import { dialectForUrl } from "../../src/http/server/dialect-for-url.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { openCustomer } from "../support/customer.ts";
import {
  curlOf,
  type DocumentedResponse,
  type FuzzedRequest,
  fuzzedRequest,
  type Operation,
  operationsOf,
} from "../support/fuzzed-requests.ts";
import { anyOf, type JsonSchema, type KnownValues } from "../support/fuzzed-values.ts";
import { openMember } from "../support/member.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

/** About a dozen for each operation, which take turns. `FUZZ_REQUESTS` sends more or fewer. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 4_000);
/** Accounts, keys and models are made anew so often, and sooner where a caller was logged out, revoked or suspended. */
const ROUND = { fewest: 250, most: 400 };
const AT_ONCE = 6;
/** Another seed makes up other requests: `FUZZ_SEED=7 npx vitest run server/test/front-door/fuzz.test.ts`. */
const SEED = process.env.FUZZ_SEED ?? "1";
const CREDENTIAL = "credential-that-no-answer-shows";
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

let service: StartedService;
let provider: ScriptedProvider;
let operations: Operation[];
let schemas: Readonly<Record<string, JsonSchema>>;

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    logLevel: "warn",
    // Each request comes from an address of its own, so that no limit by address makes the rest meaningless.
    trustProxy: 1,
    limits: { ...config.limits, requestsPerMinute: 1_000_000, burst: 1_000_000 },
  }));
  provider = await startProvider();
  const { json } = await service.call("GET", "/openapi.json", undefined, { key: null });
  operations = operationsOf(json);
  ({ schemas } = json.components);
});

afterAll(async () => {
  agent.destroy();
  await service.stop();
  await provider.stop();
});

interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it may do most of what takes this scope; undefined: what only a person may do. */
  readonly fits: (scope: string | undefined) => boolean;
}

/** Who sends requests in a round, and what there is. */
interface Round {
  readonly callers: readonly Caller[];
  readonly known: KnownValues & { readonly ids: string[] };
  readonly secrets: readonly string[];
  /** Whether a caller that was good is no more. */
  isSpent: boolean;
}

async function openRound(number: number): Promise<Round> {
  const model = `model-${number}`;
  const made = [
    registrationOf(provider, model, { streaming: true }),
    registrationOf(provider, `${model}-image`, { type: "image", pricing: { per_image: 1 } }),
    registrationOf(provider, `${model}-audio`, { type: "audio", pricing: { per_request: 1 } }),
  ];
  const register = async (registration: object) => {
    const answer = await service.call("POST", "/v1/provider/models", { ...registration, credential: CREDENTIAL });
    expect(answer.status, answer.text).toBe(201);
  };
  const scopes = ["inference", "read", "manage", "billing", "provider"];
  const { id: operatorsId } = (await service.call("GET", "/v1/organisation")).json;
  const [customer, operatorsKey] = await Promise.all([
    openCustomer(service, 1_000, { scopes }),
    service.call("POST", `/v1/admin/accounts/${operatorsId}/keys`, { name: "Fuzz", scopes: [...scopes, "admin"] }),
    ...made.map(register),
  ]);
  const limited = await openCustomer(service, 1, { scopes: ["inference", "read"], models: [model] });
  const owner = await openMember(service, "owner", customer.id);
  const viewer = await openMember(service, "viewer", customer.id);
  const person = ({ cookie }: { readonly cookie: string }, fits: Caller["fits"] = () => true) => ({
    headers: { cookie, origin: service.url },
    fits,
  });
  const bearer = (key: string, fits: Caller["fits"]) => ({ headers: { authorization: `Bearer ${key}` }, fits });
  return {
    callers: [
      bearer(customer.key, (scope) => scope !== undefined && scope !== "admin"),
      bearer(operatorsKey.json.key, (scope) => scope !== undefined),
      bearer(limited.key, (scope) => scope === "inference" || scope === "read"),
      person(owner, (scope) => scope !== "admin"),
      person(viewer, () => false),
      person(await openMember(service, "admin", operatorsId)),
      { headers: {}, fits: () => false },
      bearer("tl_unknown", () => false),
    ],
    known: {
      models: [model, model, `${model}-image`, `${model}-audio`, "auto", "embed", "nobody/nothing"],
      endpoints: [provider.endpoint, "http://127.0.0.1:1/v1", "https://127.0.0.1:1/"],
      ids: [customer.id, customer.keyId, limited.id, limited.keyId, owner.personId, viewer.personId],
      credential: CREDENTIAL,
    },
    secrets: [
      OPERATOR_KEY,
      CREDENTIAL,
      "the tests' own secret",
      customer.key,
      limited.key,
      operatorsKey.json.key,
      owner.cookie.slice(18),
    ],
    isSpent: false,
  };
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function exchange({ method, path, headers, body }: FuzzedRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const url = new URL(service.url);
    const sent = send(
      { agent, host: url.hostname, port: url.port, method, path, headers, timeout: 120_000 },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.on("timeout", () => sent.destroy(new Error("No answer in time.")));
    sent.end(body);
  });
}

const INTERNALS =
  /\n\s+at |node_modules|\.ts:\d+|file:\/\/\/(?!dev\/null)|\/server\/src|relation "|syntax error at|duplicate key value|violates \w+|invalid input syntax|invalid byte sequence|out of range for type|ECONNREFUSED|TypeError|RangeError|Cannot read prop/;
/** What any address can be answered with, whether or not there is an operation. */
const GENERAL = [200, 204, 302, 304, 400, 401, 403, 404, 405, 413, 415, 429, 503];
const readers = new Map<unknown, z.ZodType>();

/** Where a text does not have the form of a schema, which is read once under `name`. */
function issuesOf(name: unknown, schema: JsonSchema, text: string): string[] {
  const reader = readers.get(name) ?? z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  readers.set(name, reader);
  try {
    const { error } = reader.safeParse(JSON.parse(text));
    return error === undefined ? [] : [`another form: ${JSON.stringify(error.issues).slice(0, 300)}`];
  } catch {
    return ["a body that can't be read"];
  }
}

/** What is wrong with an answer, in a few words. */
function mistakesIn(
  operation: Operation,
  request: FuzzedRequest,
  answer: RawAnswer,
  secrets: readonly string[],
): string[] {
  const { status, headers, text } = answer;
  const mistakes: string[] = [];
  const documented = operation.responses[status];
  // A malformed content type is refused before it is known that no body is read.
  const isGeneral = request.isAddressed ? status === 415 && request.body !== undefined : GENERAL.includes(status);
  if (documented === undefined && !isGeneral) mistakes.push("a status that is not documented");
  if (status === 500 || (status > 500 && documented === undefined)) mistakes.push("a fault of the service's own");
  if (!/^[\x21-\x7e]{8,}$/.test(String(headers["x-request-id"]))) mistakes.push("no x-request-id");
  if (secrets.some((secret) => text.includes(secret))) mistakes.push("a secret");
  if (status >= 400 && INTERNALS.test(text)) mistakes.push("internals");
  if (status >= 400 && request.method !== "HEAD") mistakes.push(...mistakesOfError(request.path, answer));
  else if (request.isAddressed && documented !== undefined) mistakes.push(...mistakesOfSuccess(documented, answer));
  return mistakes;
}

function mistakesOfError(path: string, { headers, text }: RawAnswer): string[] {
  if (!String(headers["content-type"]).startsWith("application/json")) return ["an error that is not JSON"];
  const { errorSchemaName } = dialectForUrl(path) ?? trunklineDialect;
  return issuesOf(errorSchemaName, schemas[errorSchemaName] ?? {}, text);
}

function mistakesOfSuccess({ content }: DocumentedResponse, { headers, text }: RawAnswer): string[] {
  if (content === undefined) return text === "" ? [] : ["a body where none is documented"];
  const type = String(headers["content-type"]).split(";")[0] ?? "";
  const schema = (content[type] ?? content["audio/*"])?.schema;
  if (content[type] === undefined && content["audio/*"] === undefined) return [`the undocumented type ${type}`];
  return schema === undefined || type !== "application/json" ? [] : issuesOf(schema, schema, text);
}

/** Sends one made-up request. Returns undefined where its answer is as it must be, otherwise how to repeat it. */
async function tryOne(operation: Operation, random: Random, round: Round): Promise<string | undefined> {
  const made = fuzzedRequest(random, operation, round.known);
  const fitting = round.callers.filter(({ fits }) => fits(operation.scope));
  const caller = anyOf(random, random() < 0.75 ? fitting : round.callers);
  const address = `198.51.${Math.floor(random() * 250)}.${Math.floor(random() * 250)}`;
  const length = made.body === undefined ? {} : { "content-length": String(made.body.length) };
  const request = { ...made, headers: { "x-forwarded-for": address, ...caller.headers, ...length, ...made.headers } };
  try {
    const answer = await exchange(request);
    if (isSent(caller, request) && /"(invalid_session|account_suspended|invalid_api_key)"/.test(answer.text))
      round.isSpent = true;
    if (answer.status === 201 && round.known.ids.length < 200) collectIds(answer.text, round.known.ids);
    const mistakes = mistakesIn(operation, request, answer, round.secrets);
    if (mistakes.length === 0) return undefined;
    return `${operation.method} ${operation.path}: ${mistakes.join(", ")}\n${answer.status} ${answer.text.slice(0, 500)}\n${curlOf(service.url, request).slice(0, 6_000)}`;
  } catch (error) {
    return `${operation.method} ${operation.path}: ${String(error)}\n${curlOf(service.url, request).slice(0, 6_000)}`;
  }
}

/** Whether a request really came by a caller that was good once: no odd header took its place. */
function isSent({ headers }: Caller, request: FuzzedRequest): boolean {
  const names = Object.keys(headers);
  return (
    names.length > 0 &&
    headers.authorization !== "Bearer tl_unknown" &&
    names.every((name) => request.headers[name] === headers[name])
  );
}

function collectIds(text: string, ids: string[]): void {
  const { id } = JSON.parse(text);
  if (typeof id === "string") ids.push(id);
}

it(`answers ${REQUESTS} made-up requests as it documents, whoever sends them, and its books stay right`, async () => {
  const mistakes: string[] = [];
  let sent = 0;
  for (let number = 0; sent < REQUESTS; number++) {
    const round = await openRound(number);
    const from = sent;
    const sendSome = async () => {
      while (sent < REQUESTS && sent - from < (round.isSpent ? ROUND.fewest : ROUND.most)) {
        const operation = operations[sent % operations.length];
        sent++;
        if (operation === undefined) throw new Error("The document has no operations.");
        const mistake = await tryOne(operation, createSeededRandom(`${SEED} ${sent}`), round);
        if (mistake !== undefined) mistakes.push(mistake);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  }
  expect(mistakes.slice(0, 5), `With FUZZ_SEED=${SEED}: ${mistakes.length} answers are wrong.`).toEqual([]);
  expect(service.logged()).not.toContain("Unexpected error");
  expect((await service.call("GET", "/readyz", undefined, { key: null })).status).toBe(200);
  expect((await service.call("GET", "/v1/balance")).status).toBe(200);
  await expect.poll(() => service.services.lifecycle.inFlight.size).toBe(0);
  const { findings } = await auditLedger(service.database);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
});
