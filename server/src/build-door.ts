import type { Config } from "./config.ts";
import type { NewDeed } from "./domain/deed.ts";
import type { Door } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import type { Following } from "./kit/following.ts";
import type { Logger } from "./kit/log.ts";
import type { Sealer } from "./kit/sealed.ts";
import type { Secret } from "./kit/secret.ts";
import { openSmtp } from "./kit/smtp.ts";
import { Devices } from "./people/device.ts";
import { linksTo } from "./people/letter.ts";
import { LogIn } from "./people/log-in.ts";
import { OwnDesk } from "./people/own-desk.ts";
import { PasskeyDesk } from "./people/passkey.ts";
import { PasswordHasher } from "./people/password-hash.ts";
import type { PersonRecord, TokenStore } from "./people/person.ts";
import { Postman } from "./people/postman.ts";
import { SecondFactor } from "./people/second-factor.ts";
import { SignUp } from "./people/sign-up.ts";
import { type TallyStore, Turnstile } from "./people/turnstile.ts";
import type { Database } from "./store/database.ts";
import { PostgresPasskeys } from "./store/passkeys.ts";
import type { PostgresPeople } from "./store/people.ts";
import { PostgresSecondFactors } from "./store/second-factors.ts";
import type { PostgresSessions } from "./store/sessions.ts";

/** What the door is built from. */
export interface DoorSite {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secret: Secret;
  readonly sealer: Sealer;
  readonly people: PostgresPeople;
  readonly sessions: PostgresSessions;
  readonly tokens: TokenStore;
  readonly tallies: TallyStore;
  readonly deeds: { record(deed: NewDeed): Promise<void> };
  readonly handlers: Following;
  warnCalmly(error: unknown, words: string): void;
}

/** Builds the room of people. */
export function buildDoor(site: DoorSite): Door {
  const { config, database, clock, log, people, sessions, tokens, deeds } = site;
  const carrier = config.mail === undefined ? undefined : openSmtp(config.mail.url, config.mail.from);
  const postman = new Postman({ carrier, log });
  const turnstile = new Turnstile(site.tallies);
  const hasher = new PasswordHasher();
  const secondFactor = new SecondFactor(new PostgresSecondFactors(database, site.sealer), clock);
  const passkeys = new PasskeyDesk(new PostgresPasskeys(database), tokens);
  // A request may claim any host; what is mailed leads to where the service knows itself to be.
  const linkTo = linksTo(config.publicUrl ?? `http://localhost:${config.port}`);
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
    linkTo,
    secondFactor,
    passkeys,
    signUp: new SignUp(shared),
    logIn: new LogIn({ ...shared, secondFactor, passkeys, onWrongCode }),
    own: new OwnDesk(shared),
  };
}
