import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { hashOfToken, newToken, type Secret } from "@trunkline/core/secret.ts";
import { AuditSigner } from "../identity/audit-signer.ts";
import { ApiKeys } from "../identity/keys/api-keys.ts";
import { Keyring, mintKeySecret } from "../identity/keys/keyring.ts";
import { InvitationAcceptance } from "../identity/organisations/accept-invitation.ts";
import { Invitations } from "../identity/organisations/invitations.ts";
import { Members } from "../identity/organisations/members.ts";
import { Organisations } from "../identity/organisations/organisations.ts";
import { AttemptLimiter, KnownDevices } from "../identity/people/attempt-limiter.ts";
import { LogIn } from "../identity/people/log-in.ts";
import { Passkeys } from "../identity/people/passkeys.ts";
import { PasswordHasher, refuseWeakPassword } from "../identity/people/password.ts";
import type { PersonRecord } from "../identity/people/person.ts";
import { Profile } from "../identity/people/profile.ts";
import { SecondFactor } from "../identity/people/second-factor.ts";
import { SignUp } from "../identity/people/sign-up.ts";
import { WaitingSignUps } from "../identity/people/waiting-sign-ups.ts";
import { createLinkBuilder } from "../notify/mail/emails.ts";
import { PostgresAccountRetention } from "../store/account-retention.ts";
import { PostgresAccounts, PostgresCustomers } from "../store/identity/accounts.ts";
import { PostgresApiKeys } from "../store/identity/api-keys.ts";
import { PostgresAuditLog } from "../store/identity/audit-log.ts";
import { PostgresPasskeys, PostgresSecondFactors } from "../store/identity/credentials.ts";
import { PostgresMembers } from "../store/identity/members.ts";
import { PostgresInvitations, PostgresMembershipLock } from "../store/identity/membership-lock.ts";
import { PostgresOrganisations } from "../store/identity/organisations.ts";
import { PostgresPeople } from "../store/identity/people.ts";
import { PostgresPersonalData } from "../store/identity/personal-data.ts";
import { PostgresOneTimeTokens, PostgresSessions } from "../store/identity/sessions.ts";
import { PostgresSigningKeys } from "../store/identity/signing-keys.ts";
import { PostgresWaitingSignUps } from "../store/identity/waiting-sign-ups.ts";
import { PostgresAttemptCounts } from "../store/rate-limits.ts";
import { originOf } from "./billing-mail.ts";
import { createSso } from "./create-sso.ts";
import type { BaseServices, IdentityServices, LedgerServices, NotifyServices } from "./services.ts";

interface IdentityOptions extends BaseServices {
  readonly secret: Secret;
  readonly secretFallback: Secret | undefined;
  readonly notify: NotifyServices;
  readonly ledger: LedgerServices;
  /** Called when an organisation has changed: its models are offered under its name and state. */
  readonly onModelsChanged: () => Promise<void>;
}

/** Creates the services of accounts, keys, people and organisations. */
export function createIdentity(options: IdentityOptions) {
  const { config, database, clock, notify } = options;
  const keys = createKeys(options);
  const people = createPeople(options);
  const sso = createSso(options, { ...people.services, ...keys }, people.tokens);
  const retention = new PostgresAccountRetention(
    database,
    config.retention,
    config.storedResponseDays,
    clock,
    options.elsewhere,
  );
  const services: IdentityServices = {
    accounts: new PostgresAccounts(database, (accountId) => notify.alertMonitor.onBalanceChange(accountId)),
    customers: new PostgresCustomers(database, options.elsewhere),
    retention,
    ...keys,
    ...people.services,
    ...createOrganisations(options, keys, people.services),
    ...sso.services,
  };
  return { services, sweep: () => Promise.all([people.sweep(), sso.sweep(), retention.sweep()]) };
}

function createKeys({ config, database, clock, elsewhere }: IdentityOptions) {
  const apiKeyStore = new PostgresApiKeys(database, config.limits, elsewhere);
  const keyring = new Keyring(apiKeyStore, clock);
  const apiKeys = new ApiKeys({
    store: apiKeyStore,
    mint: mintKeySecret,
    clock,
    limits: config.limits,
    onChange: () => keyring.invalidate(),
    startOfPeriod,
    endOfPeriod,
  });
  return { apiKeys, apiKeyStore, keyring };
}

/** Creates registration, log-in, profiles and what they are protected by. */
function createPeople(options: IdentityOptions) {
  const { config, database, clock, sealer, secret, secretFallback, settings, backgroundWork, warnThrottled } = options;
  const { mailer } = options.notify;
  const auditLog = new PostgresAuditLog(database);
  const people = new PostgresPeople(database);
  const sessions = new PostgresSessions(database, config.limits);
  const tokens = new PostgresOneTimeTokens(database);
  const waitingSignUps = new PostgresWaitingSignUps(database);
  const attemptCounts = new PostgresAttemptCounts(database);
  const attemptLimiter = new AttemptLimiter(attemptCounts);
  const hasher = new PasswordHasher();
  const secondFactor = new SecondFactor(new PostgresSecondFactors(database, sealer), clock);
  const passkeys = new Passkeys(new PostgresPasskeys(database), tokens);
  const origin = originOf(config);
  const linkTo = createLinkBuilder(origin);
  const inBackground = (work: () => Promise<void>) => {
    void backgroundWork.track(
      work().catch((error: unknown) => warnThrottled(error, "An e-mail could not be prepared.")),
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
  const welcomeCredits = () => settings.current.welcomeCredits;
  const services = {
    auditLog,
    auditSigner: new AuditSigner(new PostgresSigningKeys(database, sealer)),
    personalData: new PostgresPersonalData(database),
    people,
    sessions,
    attemptLimiter,
    knownDevices: new KnownDevices(secret, secretFallback),
    hasher,
    origin,
    linkTo,
    secondFactor,
    passkeys,
    signUp: new SignUp({
      ...shared,
      isOpen: () => settings.current.signUp === "open",
      welcomeCredits,
    }),
    waitingSignUps: new WaitingSignUps({ ...shared, store: waitingSignUps, welcomeCredits }),
    logIn: new LogIn({ ...shared, waitingSignUps, secondFactor, passkeys, onWrongCode }),
    profile: new Profile(shared),
  };
  return { services, tokens, sweep: () => Promise.all([sessions.sweep(), tokens.sweep(), attemptCounts.sweep()]) };
}

/** Creates organisations, their members and their invitations. */
function createOrganisations(
  { config, database, clock, settings, notify, ledger, onModelsChanged }: IdentityOptions,
  { keyring }: Pick<IdentityServices, "keyring">,
  { people, sessions, hasher, attemptLimiter }: ReturnType<typeof createPeople>["services"],
) {
  const memberships = new PostgresMembershipLock(database);
  const store = new PostgresInvitations(database);
  const organisations = new Organisations({
    store: new PostgresOrganisations(database),
    balanceOf: async (accountId) => (await ledger.store.readPool(balancePool(accountId))).total,
    isSignUpOpen: () => settings.current.signUp === "open",
    onChange: async () => {
      keyring.invalidate();
      await onModelsChanged();
    },
  });
  const members = new Members(new PostgresMembers(database), memberships, () => keyring.invalidate());
  const invitations = new Invitations({
    store,
    memberships,
    organisationName: async (accountId) => (await organisations.find({ accountId })).name,
    sendEmail: async ({ to, subject, text, link }) =>
      notify.mailer.send({ to, subject, lines: [text], link: { label: "Join", url: link } }),
    limitEmails: (accountId, email) =>
      attemptLimiter.check("invitation", { address: accountId, subject: email.toLowerCase() }),
    clock,
  });
  const invitationAcceptance = new InvitationAcceptance({
    mailsLinks: config.mail !== undefined,
    store,
    memberships,
    registration: {
      async hashPassword(password, owner) {
        await refuseWeakPassword(password, owner);
        return hasher.hash(password);
      },
      async openSession(personId, accountId, { address, agent }) {
        const token = newToken();
        const hash = hashOfToken(token);
        const passwordHash = (await people.find(personId))?.passwordHash;
        const session = { id: newId(), hash, personId, passwordHash, accountId, address, agent };
        await sessions.open({ ...session, replaces: undefined });
        return token;
      },
    },
    allowsNewPeople: () => settings.current.signUp !== "closed",
    clock,
  });
  return { organisations, members, invitations, invitationAcceptance };
}
