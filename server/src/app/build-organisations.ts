import type { Clock } from "@trunkline/core/clock.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { ServiceSettings } from "@trunkline/core/service-settings.ts";
import { InvitationAnswers } from "../identity/organisations/invitation-answers.ts";
import { InvitationDesk } from "../identity/organisations/invitation-desk.ts";
import type { Deliver } from "../identity/organisations/letter.ts";
import { MemberDesk } from "../identity/organisations/member-desk.ts";
import type { Newcomers } from "../identity/organisations/newcomers.ts";
import { OrganisationDesk } from "../identity/organisations/organisation-desk.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresInvitations } from "../store/identity/invitations.ts";
import { PostgresMembers } from "../store/identity/member-list.ts";
import { PostgresOrganisations } from "../store/identity/organisations.ts";
import { PostgresRolls } from "../store/identity/roll.ts";
import type { House } from "./services.ts";

/** What organisations are built from. */
export interface OrganisationSite {
  readonly settings: { readonly current: ServiceSettings };
  readonly database: Database;
  readonly clock: Clock;
  /** How letters go out. */
  readonly deliver: Deliver;
  readonly admitLetter: (accountId: string, email: string) => Promise<void>;
  readonly newcomers: Newcomers;
  readonly balanceOf: (accountId: string) => Promise<NanoCredits>;
  readonly keysChanged: () => void;
  readonly modelsChanged: () => Promise<void>;
}

/** The part of the house that knows organisations, members and invitations. `build-house.ts` alone calls it. */
export function buildOrganisations(
  site: OrganisationSite,
): Pick<House, "organisations" | "members" | "invitations" | "answers"> {
  const { settings, database, clock, newcomers, balanceOf, keysChanged, modelsChanged } = site;
  const rolls = new PostgresRolls(database);
  const store = new PostgresInvitations(database);
  const organisations = new OrganisationDesk({
    store: new PostgresOrganisations(database),
    balanceOf,
    opensToAll: () => settings.current.signUp === "open",
    changed: async () => {
      keysChanged();
      await modelsChanged();
    },
  });
  return {
    organisations,
    members: new MemberDesk(new PostgresMembers(database), rolls, keysChanged),
    invitations: new InvitationDesk({
      store,
      rolls,
      organisationName: async (accountId) => (await organisations.find({ accountId })).name,
      deliver: site.deliver,
      admit: site.admitLetter,
      clock,
    }),
    answers: new InvitationAnswers({
      store,
      rolls,
      newcomers,
      takesNewcomers: () => settings.current.signUp !== "closed",
      clock,
    }),
  };
}
