import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import type { TokenPurpose, TokenStore } from "./person.ts";

export interface Passkey {
  /** The credential's own id, in base64url. */
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** The authenticator's own use counter; 0 where it has none. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly backedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

export interface PasskeyStore {
  find(id: string): Promise<Passkey | undefined>;
  list(personId: string, limit: number, cursor: string | undefined): Promise<Passkey[]>;
  /** False where the credential is registered already, for any person. */
  add(passkey: Passkey): Promise<boolean>;
  /** False where its counter did not grow. */
  recordUse(id: string, counter: number, backedUp: boolean): Promise<boolean>;
  rename(personId: string, id: string, name: string): Promise<Passkey | undefined>;
  /** `last`: without it the person could not log in any more. */
  remove(personId: string, id: string): Promise<"removed" | "unknown" | "last">;
}

const TICKET_SECONDS = 300;
const PASSKEYS_MAX = 20;

/** Registers and verifies passkeys. The WebAuthn package is loaded on the first use. */
export class Passkeys {
  readonly #store: PasskeyStore;
  readonly #tokens: TokenStore;

  constructor(store: PasskeyStore, tokens: TokenStore) {
    this.#store = store;
    this.#tokens = tokens;
  }

  /** The WebAuthn request options for any passkey of this origin, and the ticket that the response must carry. */
  async beginAuthentication(origin: string) {
    const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
    const options = await generateAuthenticationOptions({
      rpID: relyingPartyIdOf(origin),
      userVerification: "required",
      timeout: TICKET_SECONDS * 1_000,
    });
    return { ticket: await this.#ticketFor("passkey", undefined, options.challenge), options };
  }

  /** The id of the passkey's person; undefined where anything is wrong. */
  async finishAuthentication(
    origin: string,
    ticket: string,
    response: AuthenticationResponseJSON,
  ): Promise<string | undefined> {
    const challenge = await this.#challengeOf("passkey", ticket, undefined);
    const passkey = await this.#store.find(response.id);
    if (challenge === undefined || passkey === undefined) return undefined;
    const { userHandle } = response.response;
    if (userHandle !== undefined && userHandle !== userHandleOf(passkey.personId).toString("base64url"))
      return undefined;
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const { id, publicKey, counter } = passkey;
    // The package throws on every mismatch and on malformed bytes.
    const result = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: relyingPartyIdOf(origin),
      credential: { id, publicKey, counter },
      requireUserVerification: true,
    }).catch(() => undefined);
    if (result?.verified !== true) return undefined;
    const { newCounter, credentialBackedUp } = result.authenticationInfo;
    return (await this.#store.recordUse(id, newCounter, credentialBackedUp)) ? passkey.personId : undefined;
  }

  /** The WebAuthn creation options for a logged-in person. */
  async beginRegistration(
    origin: string,
    person: { readonly id: string; readonly email: string; readonly name: string },
  ) {
    const known = await this.#store.list(person.id, PASSKEYS_MAX, undefined);
    if (known.length >= PASSKEYS_MAX) {
      throw new Fault("conflict", `You have ${PASSKEYS_MAX} passkeys already. Remove one first.`);
    }
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    const options = await generateRegistrationOptions({
      rpName: "Trunkline",
      rpID: relyingPartyIdOf(origin),
      userID: new Uint8Array(userHandleOf(person.id)),
      userName: person.email,
      userDisplayName: person.name,
      attestationType: "none",
      timeout: TICKET_SECONDS * 1_000,
      excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    return { ticket: await this.#ticketFor("new-passkey", person.id, options.challenge), options };
  }

  /** Verifies and stores a new passkey. */
  async finishRegistration(
    origin: string,
    personId: string,
    { ticket, response, name }: { ticket: string; response: RegistrationResponseJSON; name: string },
  ): Promise<Passkey> {
    const challenge = await this.#challengeOf("new-passkey", ticket, personId);
    if (challenge === undefined) throw new Fault("not_found", "This took too long. Add the passkey once more.");
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const result = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: relyingPartyIdOf(origin),
      requireUserVerification: true,
    }).catch(() => undefined);
    if (result?.verified !== true) {
      throw new Fault("invalid_request", "This passkey can't be used here. Add it once more, on this very site.", {
        param: "response",
      });
    }
    const { credential, credentialBackedUp } = result.registrationInfo;
    const passkey: Passkey = {
      id: credential.id,
      personId,
      name,
      publicKey: new Uint8Array(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      backedUp: credentialBackedUp,
      createdAt: new Date(),
      lastUsedAt: undefined,
    };
    if (!(await this.#store.add(passkey))) throw new Fault("conflict", "This passkey is known already.");
    return passkey;
  }

  list(personId: string, limit: number, cursor: string | undefined): Promise<Passkey[]> {
    return this.#store.list(personId, limit, cursor);
  }

  async rename(personId: string, id: string, name: string): Promise<Passkey> {
    const passkey = isCredentialId(id) ? await this.#store.rename(personId, id, name) : undefined;
    if (passkey === undefined) throw noSuchPasskey();
    return passkey;
  }

  async remove(personId: string, id: string): Promise<void> {
    const outcome = isCredentialId(id) ? await this.#store.remove(personId, id) : "unknown";
    if (outcome === "unknown") throw noSuchPasskey();
    if (outcome === "last") {
      throw new Fault("conflict", "This is your only way to log in. Choose a password or add another passkey first.");
    }
  }

  async #ticketFor(purpose: TokenPurpose, personId: string | undefined, challenge: string): Promise<string> {
    const ticket = newToken();
    await this.#tokens.put(hashOfToken(ticket), purpose, { personId, data: { challenge } }, TICKET_SECONDS);
    return ticket;
  }

  /** A challenge works once, even if its response is refused. */
  async #challengeOf(purpose: TokenPurpose, ticket: string, personId: string | undefined): Promise<string | undefined> {
    const content = await this.#tokens.consume(hashOfToken(ticket), purpose);
    const challenge = content?.data.challenge;
    return content?.personId === personId && typeof challenge === "string" ? challenge : undefined;
  }
}

/** The user handle that an authenticator stores with a passkey. */
function userHandleOf(personId: string): Buffer {
  return Buffer.from(personId);
}

function isCredentialId(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

function relyingPartyIdOf(origin: string): string {
  return new URL(origin).hostname;
}

function noSuchPasskey(): Fault {
  return new Fault("not_found", "You have no such passkey.");
}
