import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import {
  currentPasswordSchema,
  displayNameSchema,
  emailSchema,
  passwordSchema,
  personResponseSchema,
  sessionResponseSchema,
  toPersonResponse,
  toSessionResponse,
} from "../../responses/person.ts";
import { controlEndpoint, type Endpoint, type OperationContext, Reply } from "../endpoint.ts";
import { clearSessionCookie, reauthenticationOf, signedInPerson } from "./browser-session.ts";

const TAG = "Yourself";

const readProfile = controlEndpoint({
  method: "GET",
  path: "/v1/me",
  permission: "self.read",
  status: 200,
  tag: TAG,
  summary: "Your profile",
  faults: [],
  response: personResponseSchema,
  handle: async (operationContext) =>
    toPersonResponse(await operationContext.services.identity.profile.find(signedInPerson(operationContext).id)),
});

const changeProfile = controlEndpoint({
  method: "PATCH",
  path: "/v1/me",
  permission: "person.change",
  audit: { action: "profile.change" },
  status: 200,
  tag: TAG,
  summary: "Change your profile",
  description:
    "A new e-mail address counts once the link that is sent there is opened; until then the old one stays. It takes a log-in less than 15 minutes old, or the current password.",
  faults: ["recent_login_needed"],
  body: z.object({
    name: displayNameSchema.optional(),
    email: emailSchema.optional(),
    current: currentPasswordSchema,
  }),
  response: personResponseSchema.extend({
    sent: z.enum(["mail", "log"]).nullable().describe("Where the link for a new address went."),
  }),
  async handle(operationContext) {
    const { services, body } = operationContext;
    const { profile } = services.identity;
    const { id } = signedInPerson(operationContext);
    if (body.email !== undefined) await profile.requestEmailChange(reauthenticationOf(operationContext), body.email);
    if (body.name !== undefined) await profile.rename(id, body.name);
    return {
      ...toPersonResponse(await profile.find(id)),
      sent: body.email === undefined ? null : services.notify.mailer.channel,
    };
  },
});

const changePassword = controlEndpoint({
  method: "POST",
  path: "/v1/me/password",
  permission: "person.change",
  audit: { action: "password.change" },
  status: 204,
  tag: TAG,
  summary: "Choose a password",
  description: "Ends all other sessions. It takes a log-in less than 15 minutes old, or the current password.",
  faults: ["recent_login_needed", "overloaded"],
  body: z.object({ current: currentPasswordSchema, password: passwordSchema }),
  response: z.null(),
  async handle(operationContext) {
    await operationContext.services.identity.profile.changePassword(
      reauthenticationOf(operationContext),
      operationContext.body.password,
    );
    return null;
  },
});

const listSessions = controlEndpoint({
  method: "GET",
  path: "/v1/me/sessions",
  permission: "person.read",
  status: 200,
  tag: TAG,
  summary: "Where you are logged in, newest first",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(sessionResponseSchema),
  handle(operationContext) {
    const { id, sessionId } = signedInPerson(operationContext);
    return listPage(
      operationContext.query,
      (limit, cursor) => operationContext.services.identity.sessions.list(id, limit, cursor),
      (session) => toSessionResponse(session, sessionId),
    );
  },
});

const endSession = controlEndpoint({
  method: "DELETE",
  path: "/v1/me/sessions/:id",
  permission: "person.change",
  audit: { action: "session.end" },
  status: 204,
  tag: TAG,
  summary: "Log out somewhere else",
  faults: ["not_found"],
  response: z.null(),
  async handle(operationContext) {
    const person = signedInPerson(operationContext);
    const id = operationContext.params.id ?? "";
    if (!isId(id) || !(await operationContext.services.identity.sessions.end(person.id, id))) {
      throw new Fault("not_found", "You have no such session. It may have ended by itself.");
    }
    return id === person.sessionId ? loggedOutReply(operationContext) : null;
  },
});

const endAllSessions = controlEndpoint({
  method: "DELETE",
  path: "/v1/me/sessions",
  permission: "person.change",
  audit: { action: "session.end_all" },
  status: 204,
  tag: TAG,
  summary: "Log out everywhere, also here",
  faults: [],
  response: z.null(),
  async handle(operationContext) {
    await operationContext.services.identity.logIn.revokeAllAccess(signedInPerson(operationContext).id);
    return loggedOutReply(operationContext);
  },
});

function loggedOutReply({
  services,
  request,
}: Pick<OperationContext<unknown, unknown>, "services" | "request">): Reply {
  return new Reply(204, null, undefined, { "set-cookie": clearSessionCookie(services, request) });
}

export const profileEndpoints: readonly Endpoint[] = [
  readProfile,
  changeProfile,
  changePassword,
  listSessions,
  endSession,
  endAllSessions,
];
