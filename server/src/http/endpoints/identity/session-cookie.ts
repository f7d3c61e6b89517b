import type { FastifyRequest } from "fastify";
import type { House } from "../../../app/services.ts";
import type { SessionCookie } from "../../../identity/auth/authenticate.ts";

const NAME = "trunkline_session";
const MOST_SECONDS = 90 * 86_400;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The dashboard's cookie, and whether whoever sends it may change anything by it. */
export function sessionCookieOf(house: House, request: FastifyRequest): SessionCookie | undefined {
  const token = readCookie(request, NAME, TOKEN);
  if (token === undefined) return undefined;
  const onlyReads = request.method === "GET" || request.method === "HEAD";
  return { token, trusted: onlyReads || comesFromUs(house, request) };
}

/** Scripts can't read it, other sites' pages don't send it along. */
export function setSessionCookie(house: House, request: FastifyRequest, token: string): string {
  return `${NAME}=${token}; Max-Age=${MOST_SECONDS}; ${attributes(house, request)}`;
}

export function clearSessionCookie(house: House, request: FastifyRequest): string {
  return `${NAME}=; Max-Age=0; ${attributes(house, request)}`;
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

/** A browser remembers these for longer than any session; only the pages for strangers get to see them. */
const MARKS = {
  /** Somebody has logged in here before. */
  trunkline_device: { seconds: 400 * 86_400, form: /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/ },
  /** A sign-up was begun here. */
  trunkline_sign_up: { seconds: 86_400, form: TOKEN },
} as const;

/** What a browser was told to remember; undefined where it does not, or remembers nonsense. */
export function markOf(request: FastifyRequest, name: keyof typeof MARKS): string | undefined {
  return readCookie(request, name, MARKS[name].form);
}

export function setMark(
  house: House,
  request: FastifyRequest,
  name: keyof typeof MARKS,
  value: string,
): string {
  return `${name}=${value}; Max-Age=${MARKS[name].seconds}; ${attributes(house, request, "/v1/auth")}`;
}

/** A proxy that ends TLS need not say so to us: then the public address does, or the browser, whose page came by https. */
function attributes({ config }: House, { protocol, headers }: FastifyRequest, path = "/"): string {
  const isSecure = [`${protocol}:`, config.publicUrl, headers.origin].some(
    (address) => address?.startsWith("https:") === true,
  );
  return `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}

/** Of several cookies by our name none is trusted over the other: the first is taken, and one that is no token is none. */
function readCookie(request: FastifyRequest, wanted: string, form: RegExp): string | undefined {
  for (const pair of request.headers.cookie?.split(";") ?? []) {
    const [name, value = ""] = pair.trim().split("=");
    if (name === wanted && form.test(value)) return value;
  }
  return undefined;
}
