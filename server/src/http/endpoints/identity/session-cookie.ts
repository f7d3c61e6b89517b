import type { FastifyRequest } from "fastify";
import type { Services } from "../../../app/services.ts";
import type { SessionCookie } from "../../../identity/auth/authenticate.ts";

const SESSION_COOKIE = "trunkline_session";
const SESSION_COOKIE_SECONDS = 90 * 86_400;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** The dashboard's cookie, and whether whoever sends it may change anything by it. */
export function readSessionCookie(services: Services, request: FastifyRequest): SessionCookie | undefined {
  const token = readCookie(request, SESSION_COOKIE, TOKEN_PATTERN);
  if (token === undefined) return undefined;
  const onlyReads = request.method === "GET" || request.method === "HEAD";
  return { token, trusted: onlyReads || isSameOrigin(services, request) };
}

/** Scripts can't read it, other sites' pages don't send it along. */
export function setSessionCookie(services: Services, request: FastifyRequest, token: string): string {
  return `${SESSION_COOKIE}=${token}; Max-Age=${SESSION_COOKIE_SECONDS}; ${cookieAttributes(services, request)}`;
}

export function clearSessionCookie(services: Services, request: FastifyRequest): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${cookieAttributes(services, request)}`;
}

/** Whether a page of ours asks: browsers say which page does with whatever may change something. */
export function isSameOrigin(services: Services, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  return origin === `${request.protocol}://${request.host}` || origin === services.config.publicUrl;
}

/** The address under which the one who asks knows the service. */
export function serviceOrigin(services: Services, request: FastifyRequest): string {
  return services.config.publicUrl ?? `${request.protocol}://${request.host}`;
}

/** A browser remembers these for longer than any session; only the pages for strangers get to see them. */
const LONG_LIVED_COOKIES = {
  /** Somebody has logged in here before. */
  trunkline_device: { seconds: 400 * 86_400, form: /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/ },
  /** A sign-up was begun here. */
  trunkline_sign_up: { seconds: 86_400, form: TOKEN_PATTERN },
} as const;

/** What a browser was told to remember; undefined where it does not, or remembers nonsense. */
export function readLongLivedCookie(
  request: FastifyRequest,
  name: keyof typeof LONG_LIVED_COOKIES,
): string | undefined {
  return readCookie(request, name, LONG_LIVED_COOKIES[name].form);
}

export function setLongLivedCookie(
  services: Services,
  request: FastifyRequest,
  name: keyof typeof LONG_LIVED_COOKIES,
  value: string,
): string {
  return `${name}=${value}; Max-Age=${LONG_LIVED_COOKIES[name].seconds}; ${cookieAttributes(services, request, "/v1/auth")}`;
}

/** A proxy that ends TLS need not say so to us: then the public address does, or the browser, whose page came by https. */
function cookieAttributes({ config }: Services, { protocol, headers }: FastifyRequest, path = "/"): string {
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
