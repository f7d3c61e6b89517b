import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken } from "@trunkline/core/token.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { LogInResult } from "../../../identity/people/log-in.ts";
import type { PersonRecord } from "../../../identity/people/person.ts";
import type { AuthAttempt } from "../../../identity/people/turnstile.ts";
import { Reply } from "../endpoint.ts";
import {
  readLongLivedCookie,
  readSessionCookie,
  setLongLivedCookie,
  setSessionCookie,
} from "./session-cookie.ts";

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
      : services.identity.knownDevices.recognise(
          readLongLivedCookie(request, "trunkline_device"),
          email.toLowerCase(),
        );
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
    throw new Fault(
      "insufficient_role",
      "You belong to no organisation here any more. Ask to be invited to one.",
    );
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
  if (!isOpen)
    throw new Fault("invalid_login", "The password was changed just now. Log in with the new one.");
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
  return replyWithCookies(
    200,
    { second_factor: false },
    await openSession(door, logInResult.person, logInResult.by),
  );
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
