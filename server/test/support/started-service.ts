import { Writable } from "node:stream";
import type { Clock } from "@trunkline/core/clock.ts";
import { createLogger } from "@trunkline/core/log.ts";
import type { Random } from "@trunkline/core/random.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { type Config, readConfig } from "../../src/app/config/config.ts";
import { createServices } from "../../src/app/create-services.ts";
import { prepareOperator } from "../../src/app/first-start.ts";
import type { Services } from "../../src/app/services.ts";
import { HttpServer } from "../../src/http/server/http-server.ts";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import type { DatabaseAddress } from "../../src/store/database/servers.ts";
import { createMigratedDatabase, type TestDatabase } from "./test-database.ts";

export const OPERATOR_KEY = "operator-key-of-the-tests";

/** A service listening on a real socket, on a real database, in this process. */
export interface StartedService {
  readonly url: string;
  readonly address: DatabaseAddress;
  readonly services: Services;
  /** A way into its store for what no operation does. It is closed with the service. */
  readonly database: Database;
  /** Everything it logged, as text. */
  readonly logged: () => string;
  /** Sends a request with the operator's key, or with `key`; `null` sends none. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape and assert what they find.
  readonly json: any;
}

/** Starts a service. `change` is what a configuration file would change; `reach` puts something between it and its store; by `clock` it may live at another time, by `random` chance has its way. */
export async function startService(
  change: (config: Config) => Config = (config) => config,
  reach: (address: TestDatabase["address"]) => Promise<DatabaseAddress> = async (address) => address,
  clock?: Clock,
  random?: Random,
): Promise<StartedService> {
  const database = await createMigratedDatabase();
  return openOn(await reach(database.address), change, () => database.drop(), clock, random);
}

/** Starts a service on a store of the caller's own, which is to outlive it. */
export function startServiceOn(
  address: DatabaseAddress,
  change: (config: Config) => Config = (config) => config,
): Promise<StartedService> {
  return openOn(address, change, async () => undefined);
}

/** Starts another instance on the store of one that runs. It is to be stopped before that one. */
export function startSibling(
  service: StartedService,
  change: (config: Config) => Config = (config) => config,
): Promise<StartedService> {
  return openOn(service.address, change, async () => undefined);
}

async function openOn(
  address: DatabaseAddress,
  change: (config: Config) => Config,
  whenStopped: () => Promise<void>,
  clock?: Clock,
  random: Random = () => 0,
): Promise<StartedService> {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const environment = {
    TRUNKLINE_BOOTSTRAP_KEY: OPERATOR_KEY,
    TRUNKLINE_LOG_LEVEL: "debug",
    TRUNKLINE_WORKERS: "1",
    PORT: "0",
  };
  const config = change(withoutChance(readConfig(environment)));
  const services = await createServices({
    config,
    address,
    secret: new Secret("the tests' own secret"),
    log: createLogger(config.logLevel, sink),
    random,
    ...(clock === undefined ? {} : { clock }),
  });
  await prepareOperator(services);
  const app = new HttpServer(services);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const database = openDatabase(address, () => undefined, { connections: 1 });
  return {
    url,
    address,
    services,
    database,
    logged: () => lines.join(""),
    call: (method, path, body, options) => call(url, method, path, body, options),
    async stop() {
      services.lifecycle.inFlight.visitAll((request) => request.abort(new Error("The test is over.")));
      app.server.closeAllConnections();
      await app.close();
      await services.lifecycle.close();
      await database.close();
      await whenStopped();
    },
  };
}

/** Tests count calls and name the model that answers: equals keep their order, nothing is tried out or probed unless a test asks for it. */
function withoutChance(config: Config): Config {
  return { ...config, routing: { ...config.routing, exploration: 0, probes: false } };
}

/** One exchange over the socket. A body of text or bytes is sent as it is, anything else as JSON. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const key = options.key === undefined ? OPERATOR_KEY : options.key;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: bytesOf(body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function bytesOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON; a test that expects JSON fails on the undefined.
    return undefined;
  }
}
