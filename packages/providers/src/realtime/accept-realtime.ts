import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ClientDisconnected } from "@trunkline/core/cancellation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { EventSocket, MESSAGE_BYTES_MAX } from "./event-socket.ts";

/** The name of the protocol, by which clients in browsers ask for it. */
const PROTOCOL = "realtime";

/** Accepts a client's request for a WebSocket. Throws a fault where it is none. */
export async function acceptRealtime(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  writeWaitMs: number,
): Promise<EventSocket> {
  const { WebSocketServer } = await import("ws");
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(PROTOCOL) && PROTOCOL,
  });
  if (socket.destroyed) throw new ClientDisconnected("The client hung up.");
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new ClientDisconnected("The client hung up.")));
    server.once("wsClientError", (error: Error) =>
      reject(new Fault("invalid_request", `This is no request for a WebSocket: ${error.message}.`)),
    );
    server.handleUpgrade(request, socket, head, (accepted) => resolve(new EventSocket(accepted, writeWaitMs)));
  });
}
