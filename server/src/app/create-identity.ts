import type { NewAuditEvent } from "@trunkline/core/audit-event.ts";
import type { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { hashOfToken, newToken, type Sealer, type Secret } from "@trunkline/core/secret.ts";
import type { ServiceSettings } from "@trunkline/core/service-settings.ts";
import { InvitationAcceptance, type InviteeRegistration } from "../identity/organisations/accept-invitation.ts";
import { Invitations, type SendInvitationEmail } from "../identity/organisations/invitations.ts";
import { Members } from "../identity/organisations/members.ts";
import { Organisations } from "../identity/organisations/organisations.ts";
import { AttemptLimiter, type AttemptStore, KnownDevices } from "../identity/people/attempt-limiter.ts";
import { LogIn } from "../identity/people/log-in.ts";
import { Passkeys } from "../identity/people/passkeys.ts";
import { PasswordHasher, refuseWeakPassword } from "../identity/people/password.ts";
import type { PersonRecord, TokenStore } from "../identity/people/person.ts";
import { Profile } from "../identity/people/profile.ts";
import { SecondFactor } from "../identity/people/second-factor.ts";
import { SignUp } from "../identity/people/sign-up.ts";
import { createLinkBuilder } from "../notify/mail/emails.ts";
import { Mailer } from "../notify/mail/mailer.ts";
import { createSmtpTransport } from "../notify/mail/smtp.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresPasskeys, PostgresSecondFactors } from "../store/identity/credentials.ts";
import { PostgresMembers } from "../store/identity/members.ts";
import { PostgresInvitations, PostgresMembershipLock } from "../store/identity/membership-lock.ts";
import { PostgresOrganisations } from "../store/identity/organisations.ts";
import { PostgresPeople } from "../store/identity/people.ts";
import { PostgresOneTimeTokens, PostgresSessions } from "../store/identity/sessions.ts";
import { PostgresAttemptCounts } from "../store/rate-limits.ts";
import type { Config } from "./config/config.ts";
import type { IdentityServices, Services } from "./services.ts";

/** What is built from. */
interface IdentityOptions extends Omit<OrganisationOptions, "deliver" | "admitLetter" | "inviteeRegistration"> {
  readonly config: Config;
  readonly log: Logger;
  readonly secret: Secret;
  readonly sealer: Sealer;
  readonly auditLog: { record(event: NewAuditEvent): Promise<void> };
  readonly backgroundWork: BackgroundWork;
  readonly settings: { readonly current: ServiceSettings };
  warnThrottled(error: unknown, words: string): void;
}

/** Creates the services of people and their organisations. */
export function createIdentity(options: IdentityOptions) {
  const { database } = options;
  const people = new PostgresPeople(database);
  const sessions = new PostgresSessions(database);
  const tokens = new PostgresOneTimeTokens(database);
  const attemptCounts = new PostgresAttemptCounts(database);
  const identityServices = createIdentityServices(options, { people, sessions, tokens, attemptCounts });
  const organisations = createOrganisations({
    ...options,
    deliver: async ({ to, subject, text, link }) =>
      identityServices.mailer.send({ to, subject, lines: [text], link: { label: "Join", url: link } }),
    admitLetter: (accountId, email) =>
      identityServices.attemptLimiter.check("invitation", {
        address: accountId,
        subject: email.toLowerCase(),
      }),
    inviteeRegistration: {
      async hashPassword(password, owner) {
        await refuseWeakPassword(password, owner);
        return identityServices.hasher.hash(password);
      },
      async openSession(personId, accountId, { address, agent }) {
        const token = newToken();
        const hash = hashOfToken(token);
        const passwordHash = (await people.find(personId))?.passwordHash;
        const seat = { accountId, address, agent };
        await sessions.open({ id: newId(), hash, personId, passwordHash, ...seat, replaces: undefined });
        return token;
      },
    },
  });
  return {
    parts: { people, sessions, identity: identityServices, ...organisations },
    sweepers: [sessions, tokens, attemptCounts],
  };
}

interface IdentityStores {
  readonly people: PostgresPeople;
  readonly sessions: PostgresSessions;
  readonly tokens: TokenStore;
  readonly attemptCounts: AttemptStore;
}

/** How people come in. */
function createIdentityServices(
  options: IdentityOptions,
  { people, sessions, tokens, attemptCounts }: IdentityStores,
): IdentityServices {
  const { config, database, clock, log, auditLog } = options;
  const carrier = config.mail === undefined ? undefined : createSmtpTransport(config.mail.url, config.mail.from);
  const mailer = new Mailer({ transport: carrier, log });
  const attemptLimiter = new AttemptLimiter(attemptCounts);
  const hasher = new PasswordHasher();
  const secondFactor = new SecondFactor(new PostgresSecondFactors(database, options.sealer), clock);
  const passkeys = new Passkeys(new PostgresPasskeys(database), tokens);
  // A request may claim any host; what is mailed leads to where the service knows itself to be.
  const origin = config.publicUrl ?? `http://localhost:${config.port}`;
  const linkTo = createLinkBuilder(origin);
  const inBackground = (work: () => Promise<void>) => {
    void options.backgroundWork.track(
      work().catch((error: unknown) => options.warnThrottled(error, "An e-mail could not be prepared.")),
    );
  };
  const onWrongCode = async (person: PersonRecord, address: string) => {
    const accountId = await people.homeOf(person.id);
    if (accountId === undefined) return;
    await auditLog.record({
      accountId,
      actor: { kind: "person", id: person.id, name: person.email },
      action: "second_factor.fail",
      subjectId: person.id,
      subjectName: person.email,
      details: {},
      address,
    });
  };
  const shared = { people, tokens, sessions, hasher, attemptLimiter, mailer, linkTo, inBackground };
  return {
    attemptLimiter,
    knownDevices: new KnownDevices(options.secret),
    hasher,
    mailer,
    origin,
    linkTo,
    secondFactor,
    passkeys,
    signUp: new SignUp({
      ...shared,
      isOpen: () => options.settings.current.signUp === "open",
      welcomeCredits: () => options.settings.current.welcomeCredits,
    }),
    logIn: new LogIn({ ...shared, secondFactor, passkeys, onWrongCode }),
    profile: new Profile(shared),
  };
}

/** What organisations are built from. */
interface OrganisationOptions {
  readonly settings: { readonly current: ServiceSettings };
  readonly database: Database;
  readonly clock: Clock;
  /** Sends the emails. */
  readonly deliver: SendInvitationEmail;
  readonly admitLetter: (accountId: string, email: string) => Promise<void>;
  readonly inviteeRegistration: InviteeRegistration;
  readonly balanceOf: (accountId: string) => Promise<NanoCredits>;
  readonly keysChanged: () => void;
  readonly modelsChanged: () => Promise<void>;
}

/** Creates the services of organisations, members and invitations. */
function createOrganisations(
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
