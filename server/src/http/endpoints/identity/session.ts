import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { ALL_POWERS, hasPower } from "@trunkline/core/permissions.ts";
import { ROLES } from "@trunkline/core/role.ts";
import { z } from "zod";
import { personShown, personToWire } from "../../responses/person.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";
import { personOf } from "./person-of.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import { doorFeatures, doorFeaturesOf } from "./sign-up.ts";

const TAG = "Sessions";

const account = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  operator: z.boolean(),
});

const readSession = control({
  method: "GET",
  path: "/v1/session",
  power: "self.read",
  status: 200,
  tag: TAG,
  summary: "Who is logged in, where, and what they may do there",
  faults: [],
  answer: z.object({
    person: personShown,
    account: account.extend({ provider: z.string() }),
    accounts: z.array(account),
    powers: z.array(z.string()),
    features: doorFeatures.extend({ card: z.literal(false) }),
    announcement: z.string().describe("What the operator has to tell everyone; empty: nothing."),
  }),
  async handle(visit) {
    const { house, caller } = visit;
    const { id } = personOf(visit);
    const [person, memberships] = await Promise.all([
      house.door.own.find(id),
      house.people.membershipsOf(id),
    ]);
    const accounts = memberships.map(({ accountId, name, role, operator }) => ({
      id: accountId,
      name,
      role,
      operator,
    }));
    const here = accounts.find((one) => one.id === caller.accountId);
    if (here === undefined)
      throw new Fault("invalid_session", "You are no member here any more. Log in again.");
    return {
      person: personToWire(person),
      account: { ...here, provider: caller.provider },
      accounts,
      powers: ALL_POWERS.filter((power) => hasPower(caller, power)),
      features: { ...doorFeaturesOf(house), card: false },
      announcement: house.settings.current.announcement,
    };
  },
});

const endSession = control({
  method: "DELETE",
  path: "/v1/session",
  power: "self.change",
  deed: { action: "session.end" },
  status: 204,
  tag: TAG,
  summary: "Log out",
  faults: [],
  answer: z.null(),
  async handle(visit) {
    const { id, sessionId } = personOf(visit);
    await visit.house.sessions.end(id, sessionId);
    return new Reply(204, null, undefined, { "set-cookie": clearSessionCookie(visit.house, visit.request) });
  },
});

const switchAccount = control({
  method: "POST",
  path: "/v1/session/account",
  power: "self.change",
  deed: null,
  status: 200,
  tag: TAG,
  summary: "Look at another of one's organisations",
  faults: ["not_found"],
  body: z.object({ account_id: z.string() }),
  answer: z.object({ account_id: z.string() }),
  async handle(visit) {
    const { account_id: id } = visit.body;
    if (!isId(id) || !(await visit.house.sessions.lookAt(personOf(visit).sessionId, id))) {
      throw new Fault("not_found", "You belong to no such organisation.", { param: "account_id" });
    }
    return { account_id: id };
  },
});

export const sessionEndpoints: readonly Endpoint[] = [readSession, endSession, switchAccount];
