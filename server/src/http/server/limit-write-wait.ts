import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { LoopbackSocket } from "../tls/loopback-socket.ts";

/**
 * Closes the connection if the client takes nothing of what was written for this long: it would keep its request running,
 * and the money for it held. Call it where something may be left to send. Node restarts the time whenever a byte is taken.
 */
export function limitWriteWait(response: ServerResponse, waitMs: number): void {
  const { socket } = response;
  if (socket === null || socket.writableLength === 0) return;
  // The connection's own `setTimeout` is for when it is idle. Without a listener for the timeout, the server closes the socket.
  const limit = (ms: number) =>
    socket instanceof LoopbackSocket
      ? LoopbackSocket.prototype.setTimeout.call(socket, ms)
      : Socket.prototype.setTimeout.call(socket, ms);
  limit(waitMs);
  const clear = () => {
    response.off("drain", clear).off("finish", clear);
    limit(0);
  };
  response.on("drain", clear).on("finish", clear);
}
