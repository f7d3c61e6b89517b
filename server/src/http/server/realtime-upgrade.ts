import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Cancellation, ClientDisconnected } from "@trunkline/core/cancellation.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { acceptRealtime } from "@trunkline/providers/realtime/accept-realtime.ts";
import { CLOSE_CODES } from "@trunkline/providers/realtime/event-socket.ts";
import type { Services } from "../../app/services.ts";
import { REALTIME_PATH } from "../../pipeline/realtime/metered-response.ts";
import { openRealtimeModel } from "../../pipeline/realtime/open-session.ts";
import { RealtimeSession } from "../../pipeline/realtime/realtime-session.ts";
import { admit, type IncomingRequest } from "../../pipeline/serve.ts";
import { authorizationOf, toClientFault } from "../formats/dialect.ts";
import { openAiDialect, toOpenAiError } from "../formats/openai/dialect.ts";
import { KnownHeadersRequest } from "../requests/known-headers.ts";
import { foreignOriginOf } from "./cors.ts";
import { clientAddress } from "./direct-requests.ts";
import { addFaultHeaders, addRateLimitHeaders, commonHeaders, JSON_TYPE_LINE } from "./response-headers.ts";
import { canonicalUrl } from "./root-paths.ts";
import { asFault } from "./send-reply.ts";

/** How clients in browsers send their key: they can set no header. */
const KEY_PROTOCOL = "openai-insecure-api-key.";
const BETA_PROTOCOL = "openai-beta.realtime-v1";

/**
 * A request that node:http hands over as an upgrade only where it asks for a realtime session. Every other request with
 * an `Upgrade` header, such as one for HTTP/2, is served as if the header were absent.
 */
export class UpgradableRequest extends KnownHeadersRequest {
  private isAsked = false;

  /** Set by node:http before the headers are, and again once it knows of a listener. */
  set upgrade(isAsked: boolean | null) {
    this.isAsked = isAsked === true;
  }

  get upgrade(): boolean {
    return this.isAsked && this.method === "GET" && this.isRealtime();
  }

  private isRealtime(): boolean {
    const url = canonicalUrl(this.url ?? "", this.headers);
    return /^websocket$/i.test(this.headers.upgrade ?? "") && url.replace(/\?.*/, "") === REALTIME_PATH;
  }
}

/** Serves the realtime sessions of a server. */
export class RealtimeServer {
  readonly #services: Services;
  readonly #sessions = new Set<RealtimeSession>();
  #isStopping = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The listener of a server's `upgrade` event. */
  readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on("error", () => undefined);
    void this.#services.lifecycle.backgroundWork.track(this.#serve(request, socket, head));
  };

  /** Closes every session once none of its responses runs. */
  stop(): void {
    this.#isStopping = true;
    for (const session of this.#sessions) session.stopWhenIdle();
  }

  async #serve(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { clock, config, lifecycle, limits, tracer } = this.#services;
    const trace = new RequestTrace(newId(clock.now()), REALTIME_PATH, clock);
    trace.context = tracer?.start(trace.requestId, request.headers);
    const cancellation = new Cancellation();
    const onClose = () => cancellation.abort(new ClientDisconnected("The client hung up."));
    socket.once("close", onClose);
    const opening = this.#readOpening(request, cancellation);
    const incoming: IncomingRequest = { ...opening, trace };
    lifecycle.inFlight.add(cancellation);
    try {
      const caller = await admit(this.#services, incoming, "inference.use");
      const account = await limits.admissionQueue.enter(caller.accountId, caller.admissionWeight, cancellation);
      try {
        const query = new URL(request.url ?? "/", "http://local").searchParams;
        const isBeta = /\brealtime=v1\b/.test(String(request.headers["openai-beta"])) || offers(request, BETA_PROTOCOL);
        const name = query.get("model") ?? undefined;
        const { model, provider } = await openRealtimeModel(this.#services, incoming, caller, name, isBeta);
        const client = await acceptRealtime(request, socket, head, config.limits.writeWaitMs).catch(
          (error: unknown) => {
            provider.close(CLOSE_CODES.normal, "");
            throw error;
          },
        );
        socket.off("close", onClose);
        this.#services.observeRequest(trace, 101);
        const services = this.#services;
        const session = new RealtimeSession({ services, opening, model, caller, client, provider, toErrorEvent });
        cancellation.addEventListener("abort", () => session.stop());
        this.#sessions.add(session);
        const running = session.run();
        if (this.#isStopping) session.stopWhenIdle();
        if (cancellation.aborted) session.stop();
        await running.finally(() => this.#sessions.delete(session));
      } finally {
        limits.admissionQueue.leave(account);
      }
    } catch (error) {
      if (!socket.destroyed && socket.writable) this.#refuse(request, socket, trace, error);
    } finally {
      lifecycle.inFlight.delete(cancellation);
    }
  }

  #readOpening(request: IncomingMessage, signal: Cancellation): Omit<IncomingRequest, "trace"> {
    const { headers } = request;
    const host = headers.host ?? "";
    const key = protocolsOf(request).find((name) => name.startsWith(KEY_PROTOCOL));
    const ofProtocol = key === undefined ? undefined : `Bearer ${key.slice(KEY_PROTOCOL.length)}`;
    return {
      authorization: authorizationOf({ headers }) ?? ofProtocol,
      session: undefined,
      address: clientAddress(request, this.#services.config.trustProxy),
      origin: foreignOriginOf(this.#services, { headers, host }),
      idempotencyKey: undefined,
      signal,
    };
  }

  /** Answers with an error instead of a WebSocket. */
  #refuse(request: IncomingMessage, socket: Duplex, trace: RequestTrace, error: unknown): void {
    const fault = toClientFault(asFault(this.#services, error, trace.requestId), openAiDialect);
    const body = JSON.stringify(toOpenAiError(fault));
    const headers = commonHeaders({ headers: request.headers, url: REALTIME_PATH }, trace.requestId);
    addRateLimitHeaders(headers, this.#services, trace);
    addFaultHeaders(headers, fault);
    headers.addLines(`${JSON_TYPE_LINE}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`);
    const { list } = headers;
    let head = `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? ""}\r\n`;
    for (let at = 0; at < list.length; at += 2) head += `${String(list[at])}: ${String(list[at + 1])}\r\n`;
    socket.end(`${head}\r\n${body}`);
    trace.faultType = fault.type;
    this.#services.observeRequest(trace, fault.status);
  }
}

function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
}

function offers(request: IncomingMessage, protocol: string): boolean {
  return protocolsOf(request).includes(protocol);
}

/** An error as an event of OpenAI's protocol. */
function toErrorEvent(fault: Fault, eventId: string | undefined): string {
  const { error } = toOpenAiError(toClientFault(fault, openAiDialect));
  return JSON.stringify({
    type: "error",
    event_id: `event_${newId()}`,
    error: { ...error, event_id: eventId ?? null },
  });
}
