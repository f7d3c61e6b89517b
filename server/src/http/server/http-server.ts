import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createPlainServer, type Server as PlainServer } from "node:net";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Services } from "../../app/services.ts";
import { HeaderLines } from "../endpoints/header-lines.ts";
import { toErrorResponse } from "../formats/dialect.ts";
import { hstsResponse } from "../tls/hsts-response.ts";
import { ConnectionBurst } from "./connection-burst.ts";
import { serveDirectly } from "./direct-requests.ts";
import { IdleConnections } from "./idle-connections.ts";
import { answerMalformedRequest } from "./malformed-requests.ts";
import type { OtherRequests } from "./other-requests.ts";
import { RealtimeServer, UpgradableRequest } from "./realtime-upgrade.ts";
import { JSON_TYPE_LINE } from "./response-headers.ts";
import { createBatchLineRunner } from "./run-batch-line.ts";
import { writeResponse } from "./write-response.ts";

type CreateOtherRequests = (services: Services, server: Server) => Promise<OtherRequests>;

/** The HTTP server. What answers most requests is there from the start; the rest is loaded with the first request for it. */
export class HttpServer {
  readonly server: Server;
  readonly #services: Services;
  readonly #realtime: RealtimeServer;
  /** Other addresses of this machine by which the same clients come. */
  readonly #entrances: PlainServer[] = [];
  readonly #load: () => Promise<{ readonly createOtherRequests: CreateOtherRequests }>;
  #others: Promise<OtherRequests> | undefined;
  #isClosing = false;

  /** `load`: what serves the requests that are not served directly. */
  constructor(services: Services, load = () => import("./other-requests.ts")) {
    this.#services = services;
    this.#load = load;
    const { headerWaitMs, bodyWaitMs } = services.config.limits;
    const server = createServer({
      headersTimeout: headerWaitMs,
      requestTimeout: headerWaitMs + bodyWaitMs + 10_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
      // Refused later, with an error body of our own.
      requireHostHeader: false,
      IncomingMessage: UpgradableRequest,
      ...responseOption(services),
    });
    this.server = server;
    server.on("clientError", answerMalformedRequest);
    // Node answers an unknown `Expect` header with 417 and no body. Serve the request as if the header were absent.
    server.on("checkExpectation", (request, response) => server.emit("request", request, response));
    this.#realtime = new RealtimeServer(services);
    server.on("upgrade", this.#realtime.onUpgrade);
    const burst = new ConnectionBurst(services.clock);
    const idleConnections = new IdleConnections();
    server.on("connection", (socket) => {
      idleConnections.watch(socket);
      burst.accepted();
    });
    server.on(
      "request",
      serveDirectly(
        services,
        burst,
        () => this.#isClosing,
        (raw, response) => void this.#serveOther(raw, response),
      ),
    );
  }

  /** Returns the service's address. */
  async listen({ port, host }: { readonly port: number; readonly host: string }): Promise<string> {
    const { server } = this;
    // The name means two addresses on most machines, and clients try either.
    const [first, ...others] = host === "localhost" ? await lookup(host, { all: true }) : [{ address: host }];
    const listening = once(server, "listening");
    server.listen({ port, host: first?.address ?? host });
    await listening;
    const found = server.address() as AddressInfo;
    for (const { address } of others) {
      const entrance = createPlainServer((socket) => server.emit("connection", socket));
      const isOpen = once(entrance, "listening").then(
        () => true,
        () => false,
      );
      entrance.listen({ port: found.port, host: address });
      if (await isOpen) this.#entrances.push(entrance);
    }
    this.#services.batching.worker.start(createBatchLineRunner(this.#services));
    const name = found.address === "0.0.0.0" ? "127.0.0.1" : found.address;
    return `http://${name.includes(":") ? `[${name}]` : name}:${found.port}`;
  }

  /** Accepts nothing more. Resolves when the last connection is closed, each after its last answer. */
  async close(): Promise<void> {
    await this.#services.batching.worker.stop();
    this.#isClosing = true;
    this.#realtime.stop();
    // One that could not be loaded has nothing to close.
    await this.#others?.then(
      (others) => others.close(),
      () => undefined,
    );
    for (const entrance of this.#entrances) entrance.close();
    this.server.closeIdleConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }

  async #serveOther(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#others ??= this.#loadOthers();
    let others: OtherRequests;
    try {
      others = await this.#others;
    } catch (error) {
      this.#others = undefined;
      this.#services.log.error(
        { error },
        "A part of the program can't be loaded. Was it replaced? Restart the service.",
      );
      answerNotLoaded(response, this.#services);
      return;
    }
    others.listener(raw, response);
  }

  async #loadOthers(): Promise<OtherRequests> {
    const { createOtherRequests } = await this.#load();
    const others = await createOtherRequests(this.#services, this.server);
    if (this.#isClosing) await others.close();
    return others;
  }
}

function answerNotLoaded(response: ServerResponse, { clock, config }: Services): void {
  const fault = new Fault("unavailable", "A part of the service can't be loaded. Its operator must restart it.");
  const requestId = newId(clock.now());
  const headers = new HeaderLines();
  headers.addLines(`${JSON_TYPE_LINE}x-request-id: ${requestId}\r\nretry-after: 5\r\n`);
  writeResponse(
    response,
    fault.status,
    headers,
    JSON.stringify(toErrorResponse(fault, requestId)),
    config.limits.writeWaitMs,
  );
}

/** Without TLS the responses are node:http's own. */
function responseOption({ tls }: Services) {
  const seconds = tls?.settings.hstsSeconds ?? 0;
  return seconds === 0 ? {} : { ServerResponse: hstsResponse(seconds) };
}
