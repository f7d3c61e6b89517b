import type { IncomingMessage, ServerResponse } from "node:http";
import { newId } from "@trunkline/core/id.ts";
import { TurnBatch } from "@trunkline/core/in-step.ts";
import type { Services } from "../../app/services.ts";
import { cachedCallerOf } from "../../identity/auth/authenticate.ts";
import { overloadedFault } from "../../ledger/limits/admission-queue.ts";
import { HeaderLines } from "../endpoints/header-lines.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { authorizationOf, type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { isPlainJsonType } from "../requests/read-body.ts";
import type { ConnectionBurst } from "./connection-burst.ts";
import { answerPreflight } from "./cors.ts";
import { DIRECT_ENDPOINTS } from "./direct-endpoints.ts";
import { addFaultHeaders, commonHeaders, JSON_TYPE_LINE } from "./response-headers.ts";
import { canonicalUrl } from "./root-paths.ts";
import { startInferenceAt } from "./serve-inference.ts";
import { SERVICE_PAGES, type ServicePage } from "./service-pages.ts";
import { writeResponse } from "./write-response.ts";

type RequestListener = (raw: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves plain requests for an answer below Fastify, which would cost a good part of the gateway's time: a POST of JSON
 * with a key to a path without parameters; and what watches over the service. All else, and everything while the service
 * stops, is left to `others`.
 */
export function serveDirectly(
  services: Services,
  burst: ConnectionBurst,
  isClosing: () => boolean,
  others: RequestListener,
): RequestListener {
  const handlers = new Map(
    DIRECT_ENDPOINTS.map((endpoint) => [
      endpoint.path,
      { dialect: endpoint.dialect ?? trunklineDialect, start: startInferenceAt(services, endpoint) },
    ]),
  );
  const { trustProxy } = services.config;
  const arrivals = new TurnBatch<DirectReply>((reply) => reply.begin());
  return (raw, response) => {
    raw.url = canonicalUrl(raw.url ?? "/", raw.headers);
    if (answerPreflight(raw, response)) return;
    const endpoint = raw.method === "POST" ? handlers.get(raw.url) : undefined;
    if (isClosing()) return others(raw, response);
    if (endpoint === undefined || !isPlain(raw)) {
      const page = raw.method === "GET" && raw.headers.host !== undefined ? SERVICE_PAGES.get(raw.url) : undefined;
      return page === undefined ? others(raw, response) : void sendPage(services, page(services), response);
    }
    const request = new DirectRequest(raw, newId(services.clock.now()), clientAddress(raw, trustProxy));
    const reply = new DirectReply(response, services, request, endpoint.start);
    if (refuseOverload(services, endpoint.dialect, request, reply)) return;
    // Most bodies come with their headers, and are there at the end of the turn: then nothing has to wait for them.
    if (burst.isOn) burst.add(() => reply.begin());
    else arrivals.add(reply);
  };
}

async function sendPage(services: Services, page: Promise<ServicePage>, response: ServerResponse): Promise<void> {
  try {
    const { status, headers, body } = await page;
    const lines = new HeaderLines();
    lines.add("x-request-id", newId(services.clock.now()));
    for (const name in headers) lines.add(name, headers[name] ?? "");
    writeResponse(response, status, lines, body, services.config.limits.writeWaitMs);
  } catch (error) {
    services.log.error({ error }, "Unexpected error in the HTTP server.");
    response.destroy();
  }
}

const OVERLOADED = overloadedFault();

/**
 * Refuses a request of an account that has the most waiting ones while the service is overloaded, before anything is made
 * for it: time that goes into refusals is missing for answers.
 */
function refuseOverload(services: Services, dialect: Dialect, request: HttpRequest, reply: HttpReply): boolean {
  const { admissionQueue } = services.limits;
  if (!admissionQueue.isCrowded) return false;
  const caller = cachedCallerOf(services.identity.keyring, authorizationOf(request));
  if (caller === undefined || !admissionQueue.refuses(caller.accountId)) return false;
  admissionQueue.countRefusal();
  const headers = commonHeaders(request, request.id);
  addFaultHeaders(headers, OVERLOADED);
  headers.addLines(JSON_TYPE_LINE);
  reply.send(OVERLOADED.status, headers, JSON.stringify(dialect.errorBody(OVERLOADED, request.id)));
  return true;
}

/** Cookies, an odd content type and a missing Host have rules of their own. */
function isPlain({ headers }: IncomingMessage): boolean {
  return headers.cookie === undefined && headers.host !== undefined && isPlainJsonType(headers["content-type"] ?? "");
}

/** The same address that Fastify finds by `trustProxyOption`. */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: boolean | number): string {
  const nearest = socket.remoteAddress ?? "";
  const forwarded = headers["x-forwarded-for"];
  if (proxies === false || forwarded === undefined) return nearest;
  const hops = [
    nearest,
    ...String(forwarded)
      .split(",")
      .map((address) => address.trim())
      .filter((address) => address !== "")
      .reverse(),
  ];
  return hops[Math.min(Number(proxies), hops.length - 1)] ?? nearest;
}

const NOTHING = Object.freeze({});

class DirectRequest implements HttpRequest {
  readonly raw: IncomingMessage;
  readonly id: string;
  readonly ip: string;

  constructor(raw: IncomingMessage, id: string, ip: string) {
    this.raw = raw;
    this.id = id;
    this.ip = ip;
  }

  get method(): string {
    return "POST";
  }

  get protocol(): "http" {
    return "http";
  }

  get params(): object {
    return NOTHING;
  }

  get query(): object {
    return NOTHING;
  }

  get url(): string {
    return this.raw.url ?? "";
  }

  get headers(): IncomingMessage["headers"] {
    return this.raw.headers;
  }

  get host(): string {
    return this.raw.headers.host ?? "";
  }
}

/** The reply to a request that waits for its turn to begin. */
class DirectReply implements HttpReply {
  readonly raw: ServerResponse;
  readonly #services: Services;
  readonly #request: HttpRequest;
  readonly #start: ReturnType<typeof startInferenceAt>;

  constructor(
    raw: ServerResponse,
    services: Services,
    request: HttpRequest,
    start: ReturnType<typeof startInferenceAt>,
  ) {
    this.raw = raw;
    this.#services = services;
    this.#request = request;
    this.#start = start;
  }

  /** Serves the request. */
  begin(): void {
    // A client that left meanwhile has been promised nothing.
    if (!this.raw.destroyed) this.#start(this.#request, this);
  }

  send(status: number, headers: HeaderLines, body: string | Buffer, bytes?: number): void {
    writeResponse(this.raw, status, headers, body, this.#services.config.limits.writeWaitMs, bytes);
  }

  hijack(): void {
    // Nothing else writes to it.
  }
}
