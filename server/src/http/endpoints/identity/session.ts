import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { ALL_PERMISSIONS, hasPermission } from "@trunkline/core/permissions.ts";
import { ROLES } from "@trunkline/core/role.ts";
import { z } from "zod";
import { personResponseSchema, toPersonResponse } from "../../responses/person.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { signedInPerson } from "./person-of.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import { logInFeaturesOf, logInFeaturesSchema } from "./sign-up.ts";

const SESSION_TAG = "Sessions";

const sessionAccountSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  operator: z.boolean(),
});

const readSession = controlEndpoint({
  method: "GET",
  path: "/v1/session",
  permission: "self.read",
  status: 200,
  tag: SESSION_TAG,
  summary: "Who is logged in, where, and what they may do there",
  faults: [],
  response: z.object({
    person: personResponseSchema,
    account: sessionAccountSchema.extend({ provider: z.string() }),
    accounts: z.array(sessionAccountSchema),
    powers: z.array(z.string()),
    features: logInFeaturesSchema.extend({ card: z.literal(false) }),
    announcement: z.string().describe("What the operator has to tell everyone; empty: nothing."),
  }),
  async handle(operationContext) {
    const { services, caller } = operationContext;
    const { id } = signedInPerson(operationContext);
    const [person, joinedOrganisations] = await Promise.all([
      services.identity.profile.find(id),
      services.people.membershipsOf(id),
    ]);
    const accounts = joinedOrganisations.map(({ accountId, name, role, operator }) => ({
      id: accountId,
      name,
      role,
      operator,
    }));
    const here = accounts.find((one) => one.id === caller.accountId);
    if (here === undefined)
      throw new Fault("invalid_session", "You are no member here any more. Log in again.");
    return {
      person: toPersonResponse(person),
      account: { ...here, provider: caller.provider },
      accounts,
      powers: ALL_PERMISSIONS.filter((power) => hasPermission(caller, power)),
      features: { ...logInFeaturesOf(services), card: false },
      announcement: services.settings.current.announcement,
    };
  },
});

const logOut = controlEndpoint({
  method: "DELETE",
  path: "/v1/session",
  permission: "self.change",
  audit: { action: "session.end" },
  status: 204,
  tag: SESSION_TAG,
  summary: "Log out",
  faults: [],
  response: z.null(),
  async handle(operationContext) {
    const { id, sessionId } = signedInPerson(operationContext);
    await operationContext.services.sessions.end(id, sessionId);
    return new Reply(204, null, undefined, {
      "set-cookie": clearSessionCookie(operationContext.services, operationContext.request),
    });
  },
});

const switchAccount = controlEndpoint({
  method: "POST",
  path: "/v1/session/account",
  permission: "self.change",
  audit: null,
  status: 200,
  tag: SESSION_TAG,
  summary: "Look at another of one's organisations",
  faults: ["not_found"],
  body: z.object({ account_id: z.string() }),
  response: z.object({ account_id: z.string() }),
  async handle(operationContext) {
    const { account_id: id } = operationContext.body;
    if (
      !isId(id) ||
      !(await operationContext.services.sessions.lookAt(signedInPerson(operationContext).sessionId, id))
    ) {
      throw new Fault("not_found", "You belong to no such organisation.", { param: "account_id" });
    }
    return { account_id: id };
  },
});

export const sessionEndpoints: readonly Endpoint[] = [readSession, logOut, switchAccount];
