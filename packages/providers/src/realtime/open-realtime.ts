import type { IncomingMessage } from "node:http";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Model } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { WebSocket } from "ws";
import { sentCredentialOf } from "../credentials/access-tokens.ts";
import { cloudCredentialOf } from "../credentials/cloud-credential.ts";
import { connectFailure, DialFailure } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { toRealtimeRequest } from "../formats/openai/request.ts";
import { fromDialFailure } from "../http/http-adapter.ts";
import { errorMessageOf, toProviderFailure } from "../http/provider-error.ts";
import { EventSocket, MESSAGE_BYTES_MAX } from "./event-socket.ts";

/** How much of a refusal's body is read to find its message. */
const ERROR_BYTES_MAX = 64 * 1024;

/** What opens a connection to a realtime model. */
export interface RealtimeCall {
  readonly model: Model;
  /** The client speaks the first version of the protocol, which providers tell by a header. */
  readonly isBeta: boolean;
  readonly writeWaitMs: number;
  readonly signal: CancelSignal;
}

/** Opens the provider's end of a realtime session, through the dialer's guard. Throws ProviderFailure. */
export async function openRealtime(dialer: Dialer, call: RealtimeCall): Promise<EventSocket> {
  const { keys, credential } = call.model;
  const credentials = keys ?? [credential];
  for (const key of credentials) {
    try {
      return await openWith(dialer, call, key);
    } catch (error) {
      const isOfKey = error instanceof ProviderFailure && (error.kind === "refused" || error.kind === "rate-limited");
      if (!isOfKey || key === credentials.at(-1)) throw error;
    }
  }
  throw new ProviderFailure("refused", "has no key");
}

async function openWith(dialer: Dialer, call: RealtimeCall, key: Secret | undefined): Promise<EventSocket> {
  const { isBeta, writeWaitMs, signal } = call;
  const { limits, mayDialPrivate, ownKey } = call.model;
  const cloud = cloudCredentialOf(key);
  const isOperators = mayDialPrivate && ownKey !== true;
  const model = cloud === undefined ? call.model : cloud.place(call.model);
  const credential = cloud === undefined ? key : await sentCredentialOf(cloud, { dialer, isOperators });
  const { url, headers } = toRealtimeRequest(model, credential);
  // Loaded when it is first needed, so that the start does not wait for it.
  const { WebSocket: Client } = await import("ws");
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let client: WebSocket;
    try {
      client = new Client(url.replace(/^http/, "ws"), [], {
        headers: { ...headers, ...(isBeta ? { "openai-beta": "realtime=v1" } : {}) },
        createConnection: () => dialer.connect(url, mayDialPrivate),
        handshakeTimeout: limits.connectMs + limits.firstByteMs,
        maxPayload: MESSAGE_BYTES_MAX,
        perMessageDeflate: false,
        followRedirects: false,
      });
    } catch (error) {
      reject(toFailure(error));
      return;
    }
    const leave = () => client.terminate();
    signal.addEventListener("abort", leave);
    const end = () => signal.removeEventListener("abort", leave);
    client.once("open", () => {
      end();
      resolve(new EventSocket(client, writeWaitMs));
    });
    client.once("unexpected-response", (_request: unknown, response: IncomingMessage) => {
      void readFailure(response, credential).then((failure) => {
        end();
        reject(failure);
        client.terminate();
      });
    });
    client.on("error", (error) => {
      end();
      reject(toFailure(error));
    });
  });
}

function toFailure(error: unknown): ProviderFailure {
  if (error instanceof Error && /handshake has timed out/.test(error.message))
    return new ProviderFailure("timeout", "did not open the connection in time", {}, { cause: error });
  return fromDialFailure(error instanceof DialFailure ? error : connectFailure(error, false));
}

async function readFailure(response: IncomingMessage, credential: Secret | undefined): Promise<ProviderFailure> {
  const status = response.statusCode ?? 500;
  let text = "";
  try {
    for await (const piece of response) {
      text += String(piece);
      if (text.length > ERROR_BYTES_MAX) break;
    }
  } catch {
    // The status says enough.
  }
  return toProviderFailure({
    code: status,
    description: `answered with status ${status}`,
    message: errorMessageOf(errorIn(text), credential),
    retryAfterSeconds: undefined,
  });
}

function errorIn(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
  } catch {
    return undefined;
  }
}
