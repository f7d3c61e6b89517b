import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import {
  current,
  email,
  password,
  personShown,
  personToWire,
  sessionShown,
  sessionToWire,
  shownName,
} from "../../responses/person.ts";
import { control, type Endpoint, Reply, type Visit } from "../endpoint.ts";
import { personOf, visitorOf } from "./person-of.ts";
import { clearSessionCookie } from "./session-cookie.ts";

const TAG = "Yourself";

const readMe = control({
  method: "GET",
  path: "/v1/me",
  power: "self.read",
  status: 200,
  tag: TAG,
  summary: "Your profile",
  faults: [],
  answer: personShown,
  handle: async (visit) => personToWire(await visit.house.door.own.find(personOf(visit).id)),
});

const changeMe = control({
  method: "PATCH",
  path: "/v1/me",
  power: "self.change",
  deed: { action: "profile.change" },
  status: 200,
  tag: TAG,
  summary: "Change your profile",
  description:
    "A new e-mail address counts once the link that is sent there is opened; until then the old one stays. It takes a log-in less than 15 minutes old, or the current password.",
  faults: ["recent_login_needed"],
  body: z.object({ name: shownName.optional(), email: email.optional(), current }),
  answer: personShown.extend({
    sent: z.enum(["mail", "log"]).nullable().describe("Where the link for a new address went."),
  }),
  async handle(visit) {
    const { house, body } = visit;
    const { own, postman } = house.door;
    const { id } = personOf(visit);
    if (body.email !== undefined) await own.askForAddress(visitorOf(visit), body.email);
    if (body.name !== undefined) await own.rename(id, body.name);
    return { ...personToWire(await own.find(id)), sent: body.email === undefined ? null : postman.way };
  },
});

const changePassword = control({
  method: "POST",
  path: "/v1/me/password",
  power: "self.change",
  deed: { action: "password.change" },
  status: 204,
  tag: TAG,
  summary: "Choose a password",
  description:
    "Ends all other sessions. It takes a log-in less than 15 minutes old, or the current password.",
  faults: ["recent_login_needed", "overloaded"],
  body: z.object({ current, password }),
  answer: z.null(),
  async handle(visit) {
    await visit.house.door.own.changePassword(visitorOf(visit), visit.body.password);
    return null;
  },
});

const listSessions = control({
  method: "GET",
  path: "/v1/me/sessions",
  power: "self.read",
  status: 200,
  tag: TAG,
  summary: "Where you are logged in, newest first",
  faults: [],
  query: pageQuery,
  answer: pageOf(sessionShown),
  handle(visit) {
    const { id, sessionId } = personOf(visit);
    return listPage(
      visit.query,
      (limit, cursor) => visit.house.sessions.list(id, limit, cursor),
      (session) => sessionToWire(session, sessionId),
    );
  },
});

const endSession = control({
  method: "DELETE",
  path: "/v1/me/sessions/:id",
  power: "self.change",
  deed: { action: "session.end" },
  status: 204,
  tag: TAG,
  summary: "Log out somewhere else",
  faults: ["not_found"],
  answer: z.null(),
  async handle(visit) {
    const person = personOf(visit);
    const id = visit.params.id ?? "";
    if (!isId(id) || !(await visit.house.sessions.end(person.id, id))) {
      throw new Fault("not_found", "You have no such session. It may have ended by itself.");
    }
    return id === person.sessionId ? loggedOut(visit) : null;
  },
});

const endSessions = control({
  method: "DELETE",
  path: "/v1/me/sessions",
  power: "self.change",
  deed: { action: "session.end_all" },
  status: 204,
  tag: TAG,
  summary: "Log out everywhere, also here",
  faults: [],
  answer: z.null(),
  async handle(visit) {
    await visit.house.door.logIn.endEverything(personOf(visit).id);
    return loggedOut(visit);
  },
});

function loggedOut({ house, request }: Pick<Visit<unknown, unknown>, "house" | "request">): Reply {
  return new Reply(204, null, undefined, { "set-cookie": clearSessionCookie(house, request) });
}

export const meEndpoints: readonly Endpoint[] = [
  readMe,
  changeMe,
  changePassword,
  listSessions,
  endSession,
  endSessions,
];
