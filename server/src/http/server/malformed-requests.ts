import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { toErrorResponse } from "../formats/dialect.ts";

/** A connection as node:http keeps it. */
interface ServedSocket extends Socket {
  /** The response whose turn it is. */
  readonly _httpMessage?: ServerResponse | null;
}

/** Connections that end as soon as the requests before the malformed one are answered. */
const ending = new WeakSet<Socket>();

/**
 * Answers bytes that Node could not parse as a request, and requests that did not arrive in time, and closes the connection. There
 * is no response object, so it writes to the socket, once the requests before are answered: what follows them must neither
 * take the place of an answer nor stand in the middle of one.
 */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: ServedSocket): void {
  // What was written last is still on its way.
  if (socket.writableEnded && socket.writableLength > 0) return;
  // A client that does not read its answers would not read this one either, and what it sends would put its deadline off.
  if (!socket.writable || socket.writableNeedDrain || error.code === "ECONNRESET") return void socket.destroy();
  if (ending.has(socket)) return;
  const response = socket._httpMessage;
  if (response?.req.complete === true || response?.headersSent === true) {
    ending.add(socket);
    response.once("finish", () => {
      ending.delete(socket);
      if (response.req.complete) answerMalformedRequest(error, socket);
      else socket.end();
    });
    return;
  }
  const fault = faultOf(error);
  const requestId = newId();
  const body = JSON.stringify(toErrorResponse(fault, requestId));
  const head = `HTTP/1.1 ${fault.status} ${fault.status === 408 ? "Request Timeout" : "Bad Request"}`;
  socket.end(
    `${head}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function faultOf({ code }: NodeJS.ErrnoException): Fault {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Fault("request_timeout", "The request did not arrive in time. Send it again.");
  if (code === "HPE_HEADER_OVERFLOW") return new Fault("invalid_request", "The request's headers are too large.");
  return new Fault("invalid_request", "This is not a valid HTTP request.");
}
