import type { Clock } from "@trunkline/core/clock.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { ServiceSettings } from "@trunkline/core/service-settings.ts";
import { InvitationAcceptance } from "../identity/organisations/invitation-answers.ts";
import { Invitations } from "../identity/organisations/invitation-desk.ts";
import type { SendInvitationEmail } from "../identity/organisations/letter.ts";
import { Members } from "../identity/organisations/member-desk.ts";
import type { InviteeRegistration } from "../identity/organisations/newcomers.ts";
import { Organisations } from "../identity/organisations/organisation-desk.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresInvitations } from "../store/identity/invitations.ts";
import { PostgresMembers } from "../store/identity/member-list.ts";
import { PostgresOrganisations } from "../store/identity/organisations.ts";
import { PostgresMembershipLock } from "../store/identity/roll.ts";
import type { Services } from "./services.ts";

/** What organisations are built from. */
export interface OrganisationOptions {
  readonly settings: { readonly current: ServiceSettings };
  readonly database: Database;
  readonly clock: Clock;
  /** How letters go out. */
  readonly deliver: SendInvitationEmail;
  readonly admitLetter: (accountId: string, email: string) => Promise<void>;
  readonly inviteeRegistration: InviteeRegistration;
  readonly balanceOf: (accountId: string) => Promise<NanoCredits>;
  readonly keysChanged: () => void;
  readonly modelsChanged: () => Promise<void>;
}

/** The part of the house that knows organisations, members and invitations. `build-house.ts` alone calls it. */
export function createOrganisations(
  options: OrganisationOptions,
): Pick<Services, "organisations" | "members" | "invitations" | "invitationAnswers"> {
  const { settings, database, clock, inviteeRegistration, balanceOf, keysChanged, modelsChanged } = options;
  const rolls = new PostgresMembershipLock(database);
  const store = new PostgresInvitations(database);
  const organisations = new Organisations({
    store: new PostgresOrganisations(database),
    balanceOf,
    isSignUpOpen: () => settings.current.signUp === "open",
    onChange: async () => {
      keysChanged();
      await modelsChanged();
    },
  });
  return {
    organisations,
    members: new Members(new PostgresMembers(database), rolls, keysChanged),
    invitations: new Invitations({
      store,
      memberships: rolls,
      organisationName: async (accountId) => (await organisations.find({ accountId })).name,
      sendEmail: options.deliver,
      limitEmails: options.admitLetter,
      clock,
    }),
    invitationAnswers: new InvitationAcceptance({
      store,
      memberships: rolls,
      registration: inviteeRegistration,
      allowsNewPeople: () => settings.current.signUp !== "closed",
      clock,
    }),
  };
}
