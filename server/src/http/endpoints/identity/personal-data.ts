import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { PersonRecord } from "../../../identity/people/person.ts";
import { currentPasswordSchema, emailSchema } from "../../responses/person.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { clearSessionCookie, reauthenticationOf, signedInPerson } from "./browser-session.ts";

const KEPT =
  "Kept are: the ledger and the records of requests, which name accounts and keys but no person; entries of the audit log with their ids, without names, addresses and e-mail addresses; and a hash of the e-mail address, so that sign-up credits are not given twice.";

const exportSchema = z
  .looseObject({ person: z.looseObject({}) })
  .describe("Everything that is stored of the person: profile, organisations, sessions, passkeys, wallets, audit log.");

const exportOwnData = controlEndpoint({
  method: "GET",
  path: "/v1/me/data",
  permission: "self.read",
  status: 200,
  tag: "Yourself",
  summary: "Everything that is stored of you, as one document",
  description: "What belongs to an organisation, such as its requests and keys, is its own and not part of it.",
  faults: [],
  response: exportSchema,
  handle: (operationContext) => exportOf(operationContext.services, signedInPerson(operationContext).id),
});

const eraseOneself = controlEndpoint({
  method: "POST",
  path: "/v1/me/erase",
  permission: "self.change",
  // Recorded below, without the name that is erased.
  audit: null,
  status: 204,
  tag: "Yourself",
  summary: "Erase yourself",
  description: `Ends all sessions and memberships and erases what names you. An organisation of which you are the only owner must be closed or get another owner first. It takes a log-in less than 15 minutes old, or the current password. ${KEPT}`,
  faults: ["recent_login_needed", "conflict"],
  body: z.object({
    confirm: z.string().max(320).describe("Your e-mail address, as you mean it."),
    current: currentPasswordSchema,
  }),
  response: z.null(),
  async handle(operationContext) {
    const { services, body, request, caller } = operationContext;
    const person = await services.identity.profile.reauthenticate(reauthenticationOf(operationContext));
    if (body.confirm.toLowerCase() !== person.email.toLowerCase())
      throw new Fault("invalid_request", "`confirm` must be your e-mail address.", { param: "confirm" });
    await erase(services, person, caller.accountId, "themselves");
    return new Reply(204, null, undefined, { "set-cookie": clearSessionCookie(services, request) });
  },
});

const personBody = z.object({ email: emailSchema.describe("The person's e-mail address.") });

const exportPerson = controlEndpoint({
  method: "POST",
  path: "/v1/admin/people/export",
  permission: "operator.change",
  audit: { action: "person.export" },
  status: 200,
  tag: "Operator",
  summary: "Everything that is stored of a person, as one document",
  faults: ["not_found"],
  body: personBody,
  response: exportSchema,
  async handle({ services, body }) {
    return exportOf(services, (await findPerson(services, body.email)).id);
  },
});

const erasePerson = controlEndpoint({
  method: "POST",
  path: "/v1/admin/people/erase",
  permission: "operator.change",
  // Recorded below, without the name that is erased.
  audit: null,
  status: 204,
  tag: "Operator",
  summary: "Erase a person",
  description: `Ends their sessions and memberships and erases what names them. ${KEPT}`,
  faults: ["not_found", "conflict"],
  body: personBody,
  response: z.null(),
  async handle({ services, body, caller }) {
    await erase(services, await findPerson(services, body.email), caller.accountId, "by the operator");
    return null;
  },
});

async function findPerson(services: Services, email: string): Promise<PersonRecord> {
  const person = await services.identity.people.findByEmail(email);
  if (person === undefined) throw new Fault("not_found", "There is no person with this e-mail address.");
  return person;
}

async function exportOf(services: Services, personId: string) {
  const data = await services.identity.personalData.export(personId);
  if (data === undefined) throw new Fault("not_found", "There is no such person any more.");
  return new Reply(200, data, undefined, { "content-disposition": 'attachment; filename="personal-data.json"' });
}

async function erase(services: Services, person: PersonRecord, accountId: string, by: string): Promise<void> {
  const [sole] = await services.identity.personalData.erase(person.id);
  if (sole !== undefined)
    throw new Fault(
      "conflict",
      `The person is the only owner of the organisation "${sole.name}". Close it, or give it another owner first.`,
    );
  services.identity.keyring.invalidate();
  await services.identity.auditLog.record({
    accountId,
    actor: { kind: "service", id: undefined, name: "The service" },
    action: "person.erase",
    subjectId: person.id,
    subjectName: undefined,
    details: { by },
    address: undefined,
  });
}

export const personalDataEndpoints: readonly Endpoint[] = [exportOwnData, eraseOneself, exportPerson, erasePerson];
