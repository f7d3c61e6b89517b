import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken } from "@trunkline/core/token.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import type { Entry } from "../../../identity/people/log-in.ts";
import type { PersonRecord } from "../../../identity/people/person.ts";
import type { Knock } from "../../../identity/people/turnstile.ts";
import { Reply } from "../endpoint.ts";
import { markOf, sessionCookieOf, setMark, setSessionCookie } from "./session-cookie.ts";

/** A request at the door. */
interface AtTheDoor {
  readonly house: House;
  readonly request: FastifyRequest;
}

const AGENT_MAX = 300;

/** What the door says to whoever knocked right. */
export const entryShown = z.object({
  second_factor: z.boolean().describe("Whether a code is asked for: then nobody is logged in yet."),
  ticket: z.string().optional().describe("For `second-factor`: good for 5 tries within 5 minutes."),
});

/** Who knocks, with the browser where it is known for this address. */
export function knockOf({ house, request }: AtTheDoor, email?: string): Knock {
  const device =
    email === undefined
      ? undefined
      : house.door.devices.recognise(markOf(request, "trunkline_device"), email.toLowerCase());
  return { address: request.ip, device };
}

/**
 * Opens a session: a new one each time, while the one that the browser showed ends. Answers with the cookies to set.
 * Without an organisation named it looks at the one that was looked at last.
 */
export async function letIn(
  { house, request }: AtTheDoor,
  person: PersonRecord,
  by: string,
  accountId?: string,
): Promise<string[]> {
  const account = accountId ?? (await house.people.homeOf(person.id));
  if (account === undefined) {
    throw new Fault(
      "insufficient_role",
      "You belong to no organisation here any more. Ask to be invited to one.",
    );
  }
  const token = newToken();
  const id = newId();
  const replaced = sessionCookieOf(house, request)?.token;
  const isOpen = await house.sessions.open({
    id,
    hash: hashOfToken(token),
    personId: person.id,
    passwordHash: person.passwordHash,
    accountId: account,
    address: request.ip,
    agent: request.headers["user-agent"]?.slice(0, AGENT_MAX) ?? "",
    replaces: replaced === undefined ? undefined : hashOfToken(replaced),
  });
  if (!isOpen)
    throw new Fault("invalid_login", "The password was changed just now. Log in with the new one.");
  await recordEntry({ house, request }, person, account, "session.open", { by });
  return [
    setSessionCookie(house, request, token),
    setMark(house, request, "trunkline_device", deviceMarkFor(house, request, person)),
  ];
}

/** A browser that is known keeps its mark: with a new one at each log-in somebody could go on knocking for ever. */
function deviceMarkFor(house: House, request: FastifyRequest, person: PersonRecord): string {
  const { devices } = house.door;
  const email = person.email.toLowerCase();
  const mark = markOf(request, "trunkline_device");
  return mark !== undefined && devices.recognise(mark, email) !== undefined ? mark : devices.mark(email);
}

/** Logs somebody in, or hands out the ticket for the second factor. */
export async function replyToEntry(door: AtTheDoor, entry: Entry): Promise<Reply> {
  if ("ticket" in entry) return new Reply(200, { second_factor: true, ticket: entry.ticket });
  return replyWithCookies(200, { second_factor: false }, await letIn(door, entry.person, entry.by));
}

export function replyWithCookies(status: number, body: unknown, cookies: string[]): Reply {
  return new Reply(status, body, undefined, { "set-cookie": cookies });
}

/** Puts into the audit log what somebody did at the door. */
export async function recordEntry(
  { house, request }: AtTheDoor,
  person: Pick<PersonRecord, "id" | "email">,
  accountId: string,
  action: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await house.deeds.record({
    accountId,
    actor: { kind: "person", id: person.id, name: person.email },
    action,
    subjectId: person.id,
    subjectName: person.email,
    details,
    address: request.ip,
  });
}
