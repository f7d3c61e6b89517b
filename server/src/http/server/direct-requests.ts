import type { IncomingMessage, ServerResponse } from "node:http";
import { newId } from "@trunkline/core/id.ts";
import type { Services } from "../../app/services.ts";
import type { HeaderList, HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { isPlainJsonType } from "../requests/read-body.ts";
import type { ConnectionBurst } from "./connection-burst.ts";
import { ALL_ENDPOINTS } from "./endpoint-registry.ts";
import { serveEndpoint } from "./serve-endpoint.ts";

type RequestListener = (raw: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves plain requests for an answer below Fastify, which would cost a good part of the gateway's time: a POST of JSON
 * with a key to a path without parameters. All else, and everything while the service stops, is left to `others`.
 */
export function serveDirectly(
  services: Services,
  burst: ConnectionBurst,
  isClosing: () => boolean,
  others: RequestListener,
): RequestListener {
  const handlers = new Map(
    ALL_ENDPOINTS.filter(
      ({ kind, method, path }) => kind === "inference" && method === "POST" && !/[:*]/.test(path),
    ).map((endpoint) => [endpoint.path, serveEndpoint(services, endpoint)]),
  );
  const { trustProxy } = services.config;
  return (raw, response) => {
    const handler = raw.method === "POST" ? handlers.get(raw.url ?? "") : undefined;
    if (handler === undefined || !isPlain(raw) || isClosing()) return others(raw, response);
    const request = new DirectRequest(raw, newId(services.clock.now()), clientAddress(raw, trustProxy));
    if (!burst.isOn) return begin(services, handler, request, response);
    burst.defer(() => {
      // A client that left meanwhile has been promised nothing.
      if (!response.destroyed) begin(services, handler, request, response);
    });
  };
}

function begin(
  services: Services,
  handler: ReturnType<typeof serveEndpoint>,
  request: HttpRequest,
  response: ServerResponse,
): void {
  // Only a fault in our own code ends here: all others are answered by the handler.
  handler(request, new DirectReply(response)).catch((error: unknown) => {
    services.log.error({ error }, "Unexpected error in the HTTP server.");
    response.destroy();
  });
}

/** Cookies, an odd content type and a missing Host have rules of their own. */
function isPlain({ headers }: IncomingMessage): boolean {
  return headers.cookie === undefined && headers.host !== undefined && isPlainJsonType(headers["content-type"] ?? "");
}

/** The same address that Fastify finds by `trustProxyOption`. */
function clientAddress({ socket, headers }: IncomingMessage, proxies: boolean | number): string {
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
  readonly method = "POST";
  readonly protocol = "http";
  readonly params = NOTHING;
  readonly query = NOTHING;

  constructor(raw: IncomingMessage, id: string, ip: string) {
    this.raw = raw;
    this.id = id;
    this.ip = ip;
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

class DirectReply implements HttpReply {
  readonly raw: ServerResponse;

  constructor(raw: ServerResponse) {
    this.raw = raw;
  }

  send(status: number, headers: HeaderList, body: string | Buffer): void {
    headers.push("content-length", String(Buffer.byteLength(body)));
    this.raw.writeHead(status, headers);
    this.raw.end(body);
  }

  hijack(): void {
    // Nothing else writes to it.
  }
}
