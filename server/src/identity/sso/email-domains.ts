import { domainToASCII } from "node:url";
import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newToken } from "@trunkline/core/secret.ts";

/** A domain of an organisation's e-mail addresses. */
export interface EmailDomain {
  readonly domain: string;
  /** What the DNS record has to hold. */
  readonly token: string;
  readonly verifiedAt: Date | undefined;
  readonly verifiedBy: "dns" | "operator" | undefined;
  readonly createdAt: Date;
}

export interface EmailDomainStore {
  list(accountId: string): Promise<EmailDomain[]>;
  find(accountId: string, domain: string): Promise<EmailDomain | undefined>;
  /** Adds it, or leaves it as it is where it is there. */
  add(accountId: string, domain: string, token: string): Promise<void>;
  /** False where another organisation has verified it. */
  verify(accountId: string, domain: string, by: "dns" | "operator"): Promise<boolean>;
  remove(accountId: string, domain: string): Promise<boolean>;
}

/** Reads the TXT records of a name. Empty where there are none. */
export type TxtLookup = (name: string) => Promise<string[]>;

/** Where the record is expected, below the domain. */
const RECORD_LABEL = "_trunkline";
const RECORD_PREFIX = "trunkline-verification=";
const DOMAINS_MAX = 50;

/** The domains whose addresses an organisation's identity provider may speak for. */
export class EmailDomains {
  readonly #store: EmailDomainStore;
  readonly #lookUpTxt: TxtLookup;

  constructor(store: EmailDomainStore, lookUpTxt: TxtLookup) {
    this.#store = store;
    this.#lookUpTxt = lookUpTxt;
  }

  list({ accountId }: Pick<Caller, "accountId">): Promise<EmailDomain[]> {
    return this.#store.list(accountId);
  }

  async add({ accountId }: Pick<Caller, "accountId">, text: string): Promise<EmailDomain> {
    const domain = normaliseDomain(text);
    if (domain === undefined) throw noDomain();
    if ((await this.#store.list(accountId)).length >= DOMAINS_MAX)
      throw new Fault("conflict", `An organisation has at most ${DOMAINS_MAX} domains. Remove one first.`);
    await this.#store.add(accountId, domain, newToken());
    return this.#require(accountId, domain);
  }

  /** Looks for the record. The one who can write it owns the domain, and with it every mailbox there. */
  async verify({ accountId }: Pick<Caller, "accountId">, text: string): Promise<EmailDomain> {
    const found = await this.#require(accountId, text);
    if (found.verifiedAt !== undefined) return found;
    const { name, value } = recordOf(found);
    const records = await this.#lookUpTxt(name);
    if (!records.includes(value)) {
      throw new Fault(
        "conflict",
        `The DNS has no TXT record ${name} with the value ${value} yet. New records can take an hour to be seen.`,
      );
    }
    return this.#verify(accountId, found.domain, "dns");
  }

  /** The operator vouches for a domain, as where there is no public DNS. */
  async vouch(accountId: string, text: string): Promise<EmailDomain> {
    const { domain } = await this.add({ accountId }, text);
    return this.#verify(accountId, domain, "operator");
  }

  async remove({ accountId }: Pick<Caller, "accountId">, text: string): Promise<EmailDomain> {
    const found = await this.#require(accountId, text);
    await this.#store.remove(accountId, found.domain);
    return found;
  }

  /** Whether the organisation has verified the domain of an address. */
  async covers(accountId: string, email: string): Promise<boolean> {
    const domain = domainOfEmail(email);
    return domain !== undefined && (await this.#store.find(accountId, domain))?.verifiedAt !== undefined;
  }

  async #verify(accountId: string, domain: string, by: "dns" | "operator"): Promise<EmailDomain> {
    if (!(await this.#store.verify(accountId, domain, by)))
      throw new Fault(
        "conflict",
        "Another organisation has verified this domain. If it is yours, ask the service's operator.",
      );
    return this.#require(accountId, domain);
  }

  async #require(accountId: string, text: string): Promise<EmailDomain> {
    const domain = normaliseDomain(text);
    const found = domain === undefined ? undefined : await this.#store.find(accountId, domain);
    if (found === undefined) throw new Fault("not_found", "Your organisation has no such domain. Add it first.");
    return found;
  }
}

/** The DNS record that proves a domain. */
export function recordOf({ domain, token }: Pick<EmailDomain, "domain" | "token">): { name: string; value: string } {
  return { name: `${RECORD_LABEL}.${domain}`, value: `${RECORD_PREFIX}${token}` };
}

/** The domain of an address as it is stored; undefined: it has none. */
export function domainOfEmail(email: string): string | undefined {
  return normaliseDomain(email.slice(email.lastIndexOf("@") + 1));
}

const LABELS = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

function normaliseDomain(text: string): string | undefined {
  const domain = domainToASCII(text.trim()).toLowerCase();
  return LABELS.test(domain) ? domain : undefined;
}

function noDomain(): Fault {
  return new Fault("invalid_request", "`domain` must be the part of your addresses after the @, such as example.com.", {
    param: "domain",
  });
}
