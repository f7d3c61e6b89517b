import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { PeopleStore, PersonRecord } from "../people/person.ts";
import type { ExternalIdentityStore, GivenRole } from "./identity-provider.ts";

/** A person, and whether they were created just now, as a member. */
export interface LinkedPerson {
  readonly person: PersonRecord;
  readonly isNew: boolean;
}

/** The people of proven addresses: the one who has the address here, or a new one. */
export class AddressedPeople {
  readonly #people: PeopleStore;
  readonly #identities: Pick<ExternalIdentityStore, "resetUnverifiedPerson">;
  readonly #allowsNewPeople: () => boolean;

  /** `allowsNewPeople`: whether people without an account may join at all. */
  constructor(
    people: PeopleStore,
    identities: Pick<ExternalIdentityStore, "resetUnverifiedPerson">,
    allowsNewPeople: () => boolean,
  ) {
    this.#people = people;
    this.#identities = identities;
    this.#allowsNewPeople = allowsNewPeople;
  }

  /** The address must be proven: by its mailbox, or by the organisation's verified domain. */
  async findOrCreate(
    accountId: string,
    { email, name }: { readonly email: string; readonly name: string },
    role: GivenRole,
  ): Promise<LinkedPerson> {
    let person = await this.#people.findByEmail(email);
    let created: PersonRecord | undefined;
    if (person === undefined) {
      if (!this.#allowsNewPeople())
        throw new Fault("insufficient_role", "This service takes in no new people at present. Ask its operator.");
      const draft = { id: newId(), email, name, passwordHash: undefined, emailVerified: true };
      created = await this.#people.create(draft, { accountId, role });
      // Another log-in of the same person may have been faster.
      person = created ?? (await this.#people.findByEmail(email));
    }
    if (person === undefined) throw new Error("A person has gone while they logged in.");
    if (!person.emailVerified) {
      // Until now the address was never proven: the password and the passkeys may be another person's.
      await this.#identities.resetUnverifiedPerson(person.id);
      person = (await this.#people.find(person.id)) ?? person;
    }
    return { person, isNew: created !== undefined };
  }
}
