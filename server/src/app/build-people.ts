import type { NewDeed } from "@trunkline/core/audit-event.ts";
import type { Following } from "@trunkline/core/following.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { Sealer } from "@trunkline/core/sealed.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { ServiceSettings } from "@trunkline/core/service-settings.ts";
import { hashOfToken, newToken } from "@trunkline/core/token.ts";
import { Devices } from "../identity/people/device.ts";
import { refuseWeakPassword } from "../identity/people/judge-password.ts";
import { LogIn } from "../identity/people/log-in.ts";
import { PasskeyDesk } from "../identity/people/passkeys.ts";
import { PasswordHasher } from "../identity/people/password-hash.ts";
import type { PersonRecord, TokenStore } from "../identity/people/person.ts";
import { OwnDesk } from "../identity/people/profile.ts";
import { SecondFactor } from "../identity/people/second-factor.ts";
import { SignUp } from "../identity/people/sign-up.ts";
import { type TallyStore, Turnstile } from "../identity/people/turnstile.ts";
import { linksTo } from "../notify/mail/emails.ts";
import { Postman } from "../notify/mail/mailer.ts";
import { openSmtp } from "../notify/mail/smtp.ts";
import { PostgresDoorTallies } from "../store/door-tallies.ts";
import { PostgresOneTimeTokens } from "../store/identity/one-time-tokens.ts";
import { PostgresPasskeys } from "../store/identity/passkeys.ts";
import { PostgresPeople } from "../store/identity/people.ts";
import { PostgresSecondFactors } from "../store/identity/second-factors.ts";
import { PostgresSessions } from "../store/identity/sessions.ts";
import { buildOrganisations, type OrganisationSite } from "./build-organisations.ts";
import type { Config } from "./config/config.ts";
import type { Door } from "./services.ts";

/** What is built from. */
export interface PeopleSite extends Omit<OrganisationSite, "deliver" | "admitLetter" | "newcomers"> {
  readonly config: Config;
  readonly log: Logger;
  readonly secret: Secret;
  readonly sealer: Sealer;
  readonly deeds: { record(deed: NewDeed): Promise<void> };
  readonly handlers: Following;
  readonly settings: { readonly current: ServiceSettings };
  warnCalmly(error: unknown, words: string): void;
}

/** The part of the house that knows people and their organisations. `build-house.ts` alone calls it. */
export function buildPeople(site: PeopleSite) {
  const { database } = site;
  const people = new PostgresPeople(database);
  const sessions = new PostgresSessions(database);
  const tokens = new PostgresOneTimeTokens(database);
  const tallies = new PostgresDoorTallies(database);
  const door = buildDoor(site, { people, sessions, tokens, tallies });
  const organisations = buildOrganisations({
    ...site,
    deliver: async ({ to, subject, text, link }) =>
      door.postman.send({ to, subject, lines: [text], link: { label: "Join", url: link } }),
    admitLetter: (accountId, email) =>
      door.turnstile.pass("invitation", { address: accountId, subject: email.toLowerCase() }),
    newcomers: {
      async hashPassword(password, owner) {
        await refuseWeakPassword(password, owner);
        return door.hasher.hash(password);
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
    parts: { people, sessions, door, ...organisations },
    doorkeepers: [sessions, tokens, tallies],
  };
}

interface DoorStores {
  readonly people: PostgresPeople;
  readonly sessions: PostgresSessions;
  readonly tokens: TokenStore;
  readonly tallies: TallyStore;
}

/** How people come in. */
function buildDoor(site: PeopleSite, { people, sessions, tokens, tallies }: DoorStores): Door {
  const { config, database, clock, log, deeds } = site;
  const carrier = config.mail === undefined ? undefined : openSmtp(config.mail.url, config.mail.from);
  const postman = new Postman({ carrier, log });
  const turnstile = new Turnstile(tallies);
  const hasher = new PasswordHasher();
  const secondFactor = new SecondFactor(new PostgresSecondFactors(database, site.sealer), clock);
  const passkeys = new PasskeyDesk(new PostgresPasskeys(database), tokens);
  // A request may claim any host; what is mailed leads to where the service knows itself to be.
  const origin = config.publicUrl ?? `http://localhost:${config.port}`;
  const linkTo = linksTo(origin);
  const inBackground = (work: () => Promise<void>) => {
    void site.handlers.follow(
      work().catch((error: unknown) => site.warnCalmly(error, "A mail could not be prepared.")),
    );
  };
  const onWrongCode = async (person: PersonRecord, address: string) => {
    const accountId = await people.homeOf(person.id);
    if (accountId === undefined) return;
    await deeds.record({
      accountId,
      actor: { kind: "person", id: person.id, name: person.email },
      action: "second_factor.fail",
      subjectId: person.id,
      subjectName: person.email,
      details: {},
      address,
    });
  };
  const shared = { people, tokens, sessions, hasher, turnstile, postman, linkTo, inBackground };
  return {
    turnstile,
    devices: new Devices(site.secret),
    hasher,
    postman,
    origin,
    linkTo,
    secondFactor,
    passkeys,
    signUp: new SignUp({
      ...shared,
      isOpen: () => site.settings.current.signUp === "open",
      welcomeCredits: () => site.settings.current.welcomeCredits,
    }),
    logIn: new LogIn({ ...shared, secondFactor, passkeys, onWrongCode }),
    own: new OwnDesk(shared),
  };
}
