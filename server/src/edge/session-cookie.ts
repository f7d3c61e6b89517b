import type { FastifyRequest } from "fastify";
import type { SessionCookie } from "../auth/authenticate.ts";
import type { House } from "../house.ts";

const NAME = "trunkline_session";
const MOST_SECONDS = 90 * 86_400;

/** The dashboard's cookie, and whether whoever sends it may change anything by it. */
export function sessionCookieOf(house: House, request: FastifyRequest): SessionCookie | undefined {
  const token = readCookie(request.headers.cookie);
  if (token === undefined) return undefined;
  const onlyReads = request.method === "GET" || request.method === "HEAD";
  return { token, trusted: onlyReads || comesFromUs(house, request) };
}

/** Scripts can't read it, other sites' pages don't send it along. */
export function setSessionCookie(request: FastifyRequest, token: string): string {
  return `${NAME}=${token}; Max-Age=${MOST_SECONDS}; ${attributes(request)}`;
}

export function clearSessionCookie(request: FastifyRequest): string {
  return `${NAME}=; Max-Age=0; ${attributes(request)}`;
}

/** Whether a page of ours asks: browsers say which page does with whatever may change something. */
export function comesFromUs(house: House, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  return origin === `${request.protocol}://${request.host}` || origin === house.config.publicUrl;
}

/** The address under which the one who asks knows the service. */
export function ownOrigin(house: House, request: FastifyRequest): string {
  return house.config.publicUrl ?? `${request.protocol}://${request.host}`;
}

function attributes(request: FastifyRequest): string {
  return `Path=/; HttpOnly; SameSite=Strict${request.protocol === "https" ? "; Secure" : ""}`;
}

/** Of several cookies by our name none is trusted over the other: the first is taken, and one that is no token is none. */
function readCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value = ""] = pair.trim().split("=");
    if (name === NAME && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return undefined;
}
