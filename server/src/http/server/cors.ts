import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../app/services.ts";
import type { HttpRequest } from "../endpoints/http-request.ts";
import { dialectForUrl } from "./dialect-for-url.ts";

const METHODS = "GET, POST, PUT, PATCH, DELETE";
/** How long a browser may remember the answer; browsers bound it themselves. */
const MAX_AGE_SECONDS = "7200";
const HEADER_NAMES = /^[\w\-, ]{1,2000}$/;

/**
 * Answers a browser that asks whether a page of another site may send a request. It asks without a key, so every site
 * may; whether the key may be used there is checked with the request itself. Cookies are never allowed. Returns false for
 * any other request.
 */
export function answerPreflight({ method, url = "/", headers }: IncomingMessage, response: ServerResponse): boolean {
  if (method !== "OPTIONS" || headers.origin === undefined) return false;
  if (headers["access-control-request-method"] === undefined || dialectForUrl(url) === undefined) return false;
  const wanted = headers["access-control-request-headers"];
  response.writeHead(204, {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": METHODS,
    // A star would not include `Authorization`.
    ...(wanted !== undefined && HEADER_NAMES.test(wanted) && { "access-control-allow-headers": wanted }),
    "access-control-max-age": MAX_AGE_SECONDS,
    vary: "origin, access-control-request-headers",
  });
  response.end();
  return true;
}

/** The site whose page sent a request; undefined: one of our own, or no page. */
export function foreignOriginOf(
  { config }: Services,
  { headers, host }: Pick<HttpRequest, "headers" | "host">,
): string | undefined {
  const { origin } = headers;
  if (origin === undefined || origin === config.publicUrl) return undefined;
  // Behind a proxy that ends TLS the scheme may not be known, and the host alone says whose page it is.
  return origin.slice(origin.indexOf("://") + 3) === host ? undefined : origin;
}
