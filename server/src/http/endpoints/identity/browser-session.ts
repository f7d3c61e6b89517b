import type { Person } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { SessionCookie } from "../../../identity/auth/authenticate.ts";
import type { AuthAttempt } from "../../../identity/people/attempt-limiter.ts";
import type { LogInResult } from "../../../identity/people/log-in.ts";
import type { PersonRecord } from "../../../identity/people/person.ts";
import type { Profile } from "../../../identity/people/profile.ts";
import { type OperationContext, Reply } from "../endpoint.ts";
import type { HttpRequest } from "../http-request.ts";

const SESSION_COOKIE = "trunkline_session";
const SESSION_COOKIE_SECONDS = 90 * 86_400;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** The session's cookie, and whether the request may change anything by it. */
export function readSessionCookie(services: Services, request: HttpRequest): SessionCookie | undefined {
  const token = readCookie(request, SESSION_COOKIE, TOKEN_PATTERN);
  if (token === undefined) return undefined;
  const onlyReads = request.method === "GET" || request.method === "HEAD";
  return { token, trusted: onlyReads || isSameOrigin(services, request) };
}

/** HttpOnly keeps scripts from reading it; SameSite keeps other sites' pages from sending it. */
export function setSessionCookie(services: Services, request: HttpRequest, token: string): string {
  return `${SESSION_COOKIE}=${token}; Max-Age=${SESSION_COOKIE_SECONDS}; ${cookieAttributes(services, request)}`;
}

export function clearSessionCookie(services: Services, request: HttpRequest): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${cookieAttributes(services, request)}`;
}

/** Whether one of our own pages sent the request. Browsers send `Origin` with every request that may change something. */
export function isSameOrigin(services: Services, request: HttpRequest): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  return origin === `${request.protocol}://${request.host}` || origin === services.config.publicUrl;
}

/** The service's origin as the client sees it. */
export function serviceOrigin(services: Services, request: HttpRequest): string {
  return services.config.publicUrl ?? `${request.protocol}://${request.host}`;
}

/** Cookies that outlive a session. Browsers send them only to `/v1/auth`. */
const LONG_LIVED_COOKIES = {
  /** A person has logged in with this browser before. */
  trunkline_device: { seconds: 400 * 86_400, form: /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/ },
  /** A log-in by single sign-on was started in this browser. */
  trunkline_sso: { seconds: 86_400, form: TOKEN_PATTERN },
  /** A sign-up was started in this browser. */
  trunkline_sign_up: { seconds: 86_400, form: TOKEN_PATTERN },
} as const;

/** Undefined where the browser sends no such cookie, or one that is malformed. */
export function readLongLivedCookie(request: HttpRequest, name: keyof typeof LONG_LIVED_COOKIES): string | undefined {
  return readCookie(request, name, LONG_LIVED_COOKIES[name].form);
}

export function setLongLivedCookie(
  services: Services,
  request: HttpRequest,
  name: keyof typeof LONG_LIVED_COOKIES,
  value: string,
): string {
  return `${name}=${value}; Max-Age=${LONG_LIVED_COOKIES[name].seconds}; ${cookieAttributes(services, request, "/v1/auth")}`;
}

/** A proxy that terminates TLS may not say so. Then the public URL or the browser's `Origin` shows that https is used. */
function cookieAttributes({ config }: Services, { protocol, headers }: HttpRequest, path = "/"): string {
  const isSecure = [`${protocol}:`, config.publicUrl, headers.origin].some(
    (address) => address?.startsWith("https:") === true,
  );
  return `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}

/** The first well-formed cookie of this name. Another site on the same domain can set malformed ones. */
function readCookie(request: HttpRequest, wanted: string, form: RegExp): string | undefined {
  for (const pair of request.headers.cookie?.split(";") ?? []) {
    const [name, value = ""] = pair.trim().split("=");
    if (name === wanted && form.test(value)) return value;
  }
  return undefined;
}

/** A request that opens or uses a browser session. */
interface SessionRequest {
  readonly services: Services;
  readonly request: HttpRequest;
}

const USER_AGENT_LENGTH_MAX = 300;

/** The response to a correct first factor. */
export const logInResponseSchema = z.object({
  second_factor: z.boolean().describe("Whether a code is asked for: then nobody is logged in yet."),
  ticket: z.string().optional().describe("For `second-factor`: good for 5 tries within 5 minutes."),
});

/** The attempt's IP address, and the browser's device id where it is known for this e-mail address. */
export function authAttemptOf({ services, request }: SessionRequest, email?: string): AuthAttempt {
  const device =
    email === undefined
      ? undefined
      : services.identity.knownDevices.recognise(readLongLivedCookie(request, "trunkline_device"), email.toLowerCase());
  return { address: request.ip, device };
}

/**
 * Opens a session and returns the cookies to set. The browser's previous session ends. Without `accountId` the session
 * opens the organisation that the person used last.
 */
export async function openSession(
  { services, request }: SessionRequest,
  person: PersonRecord,
  by: string,
  accountId?: string,
  bySso = false,
): Promise<string[]> {
  const account = accountId ?? (await services.identity.people.homeOf(person.id));
  if (account === undefined) throw await reachesNoOrganisation(services, person);
  const token = newToken();
  const id = newId();
  const replaced = readSessionCookie(services, request)?.token;
  const isOpen = await services.identity.sessions.open({
    id,
    hash: hashOfToken(token),
    personId: person.id,
    passwordHash: person.passwordHash,
    accountId: account,
    address: request.ip,
    agent: request.headers["user-agent"]?.slice(0, USER_AGENT_LENGTH_MAX) ?? "",
    replaces: replaced === undefined ? undefined : hashOfToken(replaced),
    bySso,
  });
  if (!isOpen) throw new Fault("invalid_login", "The password was changed just now. Log in with the new one.");
  await recordSessionEvent({ services, request }, person, account, "session.open", { by });
  return [
    setSessionCookie(services, request, token),
    setLongLivedCookie(services, request, "trunkline_device", deviceCookieFor(services, request, person)),
  ];
}

async function reachesNoOrganisation({ identity }: Services, { id }: PersonRecord): Promise<Fault> {
  const [organisation] = await identity.people.membershipsOf(id);
  return organisation === undefined
    ? new Fault("insufficient_role", "You belong to no organisation here any more. Ask to be invited to one.")
    : new Fault(
        "sso_required",
        `The members of ${organisation.name} log in by single sign-on only. Choose "Single sign-on" and give your e-mail address.`,
      );
}

/** A known browser keeps its device token: a new one at each log-in would reset the limit on its attempts. */
function deviceCookieFor(services: Services, request: HttpRequest, person: PersonRecord): string {
  const { knownDevices } = services.identity;
  const email = person.email.toLowerCase();
  const token = readLongLivedCookie(request, "trunkline_device");
  return token !== undefined && knownDevices.recognise(token, email) !== undefined
    ? token
    : knownDevices.issueToken(email);
}

/** Opens the session, or returns the ticket for the second factor. */
export async function logInReply(exchange: SessionRequest, logInResult: LogInResult): Promise<Reply> {
  if ("ticket" in logInResult) return new Reply(200, { second_factor: true, ticket: logInResult.ticket });
  const cookies = await openSession(exchange, logInResult.person, logInResult.by);
  return replyWithCookies(200, { second_factor: false }, cookies);
}

export function replyWithCookies(status: number, body: unknown, cookies: string[]): Reply {
  return new Reply(status, body, undefined, { "set-cookie": cookies });
}

/** Records in the audit log what a person did without a session, such as logging in. */
export async function recordSessionEvent(
  { services, request }: SessionRequest,
  person: Pick<PersonRecord, "id" | "email">,
  accountId: string,
  action: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await services.identity.auditLog.record({
    accountId,
    actor: { kind: "person", id: person.id, name: person.email },
    action,
    subjectId: person.id,
    subjectName: person.email,
    details,
    address: request.ip,
  });
}

/** The person of the session. The operation's permission must be one that no key has. */
export function signedInPerson({ caller }: Pick<OperationContext<unknown, unknown>, "caller">): Person {
  if (caller.person === undefined) throw new Error("A key got where only people may.");
  return caller.person;
}

/** The proof of identity that a sensitive change needs. */
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
