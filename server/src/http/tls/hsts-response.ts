import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http";

const NAME = "strict-transport-security";

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** A response that tells browsers to use TLS alone for this long. */
export function hstsResponse(seconds: number): typeof ServerResponse {
  const value = `max-age=${seconds}`;
  return class HstsResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      const given = typeof reason === "string" ? headers : reason;
      // Not by `setHeader`: Node would then write a list of headers slowly, and lose those that it has twice.
      if (Array.isArray(given)) given.push(NAME, value);
      else if (given === undefined) this.setHeader(NAME, value);
      else given[NAME] = value;
      return typeof reason === "string" ? super.writeHead(status, reason, headers) : super.writeHead(status, reason);
    }
  };
}
