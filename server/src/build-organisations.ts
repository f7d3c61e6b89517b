import type { ServiceSettings } from "./domain/service-settings.ts";
import type { House } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import type { NanoCredits } from "./kit/money.ts";
import { InvitationAnswers } from "./organisations/invitation-answers.ts";
import { InvitationDesk } from "./organisations/invitation-desk.ts";
import type { Deliver } from "./organisations/letter.ts";
import { MemberDesk } from "./organisations/member-desk.ts";
import type { Newcomers } from "./organisations/newcomers.ts";
import { OrganisationDesk } from "./organisations/organisation-desk.ts";
import type { Database } from "./store/database.ts";
import { PostgresInvitations } from "./store/invitations.ts";
import { PostgresMembers } from "./store/member-list.ts";
import { PostgresOrganisations } from "./store/organisations.ts";
import { PostgresRolls } from "./store/roll.ts";

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
