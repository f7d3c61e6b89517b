import type { Person } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { SessionCookie } from "../../../identity/auth/authenticate.ts";
import type { AuthAttempt } from "../../../identity/people/attempt-limiter.ts";
import type { LogInResult } from "../../../identity/people/log-in.ts";
import type { PersonRecord } from "../../../identity/people/person.ts";
import type { Profile } from "../../../identity/people/profile.ts";
import { type OperationContext, Reply } from "../endpoint.ts";

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

/** A request at the door. */
interface SessionRequest {
  readonly services: Services;
  readonly request: FastifyRequest;
}

const USER_AGENT_LENGTH_MAX = 300;

/** What the door says to whoever knocked right. */
export const logInResponseSchema = z.object({
  second_factor: z.boolean().describe("Whether a code is asked for: then nobody is logged in yet."),
  ticket: z.string().optional().describe("For `second-factor`: good for 5 tries within 5 minutes."),
});

/** Who knocks, with the browser where it is known for this address. */
export function authAttemptOf({ services, request }: SessionRequest, email?: string): AuthAttempt {
  const device =
    email === undefined
      ? undefined
      : services.identity.knownDevices.recognise(readLongLivedCookie(request, "trunkline_device"), email.toLowerCase());
  return { address: request.ip, device };
}

/**
 * Opens a session: a new one each time, while the one that the browser showed ends. Answers with the cookies to set.
 * Without an organisation named it looks at the one that was looked at last.
 */
export async function openSession(
  { services, request }: SessionRequest,
  person: PersonRecord,
  by: string,
  accountId?: string,
): Promise<string[]> {
  const account = accountId ?? (await services.people.homeOf(person.id));
  if (account === undefined) {
    throw new Fault("insufficient_role", "You belong to no organisation here any more. Ask to be invited to one.");
  }
  const token = newToken();
  const id = newId();
  const replaced = readSessionCookie(services, request)?.token;
  const isOpen = await services.sessions.open({
    id,
    hash: hashOfToken(token),
    personId: person.id,
    passwordHash: person.passwordHash,
    accountId: account,
    address: request.ip,
    agent: request.headers["user-agent"]?.slice(0, USER_AGENT_LENGTH_MAX) ?? "",
    replaces: replaced === undefined ? undefined : hashOfToken(replaced),
  });
  if (!isOpen) throw new Fault("invalid_login", "The password was changed just now. Log in with the new one.");
  await recordSessionEvent({ services, request }, person, account, "session.open", { by });
  return [
    setSessionCookie(services, request, token),
    setLongLivedCookie(services, request, "trunkline_device", deviceCookieFor(services, request, person)),
  ];
}

/** A browser that is known keeps its mark: with a new one at each log-in somebody could go on knocking for ever. */
function deviceCookieFor(services: Services, request: FastifyRequest, person: PersonRecord): string {
  const { knownDevices } = services.identity;
  const email = person.email.toLowerCase();
  const mark = readLongLivedCookie(request, "trunkline_device");
  return mark !== undefined && knownDevices.recognise(mark, email) !== undefined
    ? mark
    : knownDevices.issueToken(email);
}

/** Logs somebody in, or hands out the ticket for the second factor. */
export async function logInReply(door: SessionRequest, logInResult: LogInResult): Promise<Reply> {
  if ("ticket" in logInResult) return new Reply(200, { second_factor: true, ticket: logInResult.ticket });
  return replyWithCookies(200, { second_factor: false }, await openSession(door, logInResult.person, logInResult.by));
}

export function replyWithCookies(status: number, body: unknown, cookies: string[]): Reply {
  return new Reply(status, body, undefined, { "set-cookie": cookies });
}

/** Puts into the audit log what somebody did at the door. */
export async function recordSessionEvent(
  { services, request }: SessionRequest,
  person: Pick<PersonRecord, "id" | "email">,
  accountId: string,
  action: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await services.auditLog.record({
    accountId,
    actor: { kind: "person", id: person.id, name: person.email },
    action,
    subjectId: person.id,
    subjectName: person.email,
    details,
    address: request.ip,
  });
}

/** Who is at the dashboard. Powers that no key has guarantee that somebody is. */
export function signedInPerson({ caller }: Pick<OperationContext<unknown, unknown>, "caller">): Person {
  if (caller.person === undefined) throw new Error("A key got where only people may.");
  return caller.person;
}

/** What somebody shows for a change that matters. */
export function reauthenticationOf(
  operationContext: OperationContext<{ readonly current?: string | undefined }, unknown>,
): Parameters<Profile["reauthenticate"]>[0] {
  const { id, sessionId } = signedInPerson(operationContext);
  return {
    personId: id,
    sessionId,
    address: operationContext.request.ip,
    current: operationContext.body.current,
  };
}
