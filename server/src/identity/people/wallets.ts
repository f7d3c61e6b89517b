import { randomBytes } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken } from "@trunkline/core/secret.ts";
import type { TokenStore } from "./person.ts";

/** A wallet that pays for an account. */
export interface LinkedWallet {
  /** In lower case. */
  readonly address: string;
  readonly accountId: string;
  /** Who may log in by it; undefined: nobody. */
  readonly personId: string | undefined;
  readonly name: string;
  readonly createdAt: Date;
}

export interface WalletStore {
  find(address: string): Promise<LinkedWallet | undefined>;
  list(accountId: string): Promise<LinkedWallet[]>;
  /** Undefined where the wallet belongs to another account. Linked to this one already, its name and person change. */
  link(wallet: Omit<LinkedWallet, "createdAt">): Promise<LinkedWallet | undefined>;
  unlink(accountId: string, address: string): Promise<boolean>;
}

export interface WalletsOptions {
  readonly store: WalletStore;
  readonly tokens: TokenStore;
  readonly clock: Clock;
  readonly chainId: number;
  /** Whether a wallet that is a contract accepts a signature of a digest. */
  readonly acceptsSignature: (address: string, digest: string, signature: string) => Promise<boolean>;
}

/** What a message is signed for. One that was made for a log-in links no wallet, and the other way round. */
type WalletPurpose = "wallet" | "link-wallet";

/** What a wallet is to sign. */
export interface WalletChallenge {
  readonly message: string;
  readonly nonce: string;
  readonly expiresAt: Date;
}

export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

const LIFETIME_SECONDS = 300;
const WALLETS_MAX = 50;
const STATEMENTS: Readonly<Record<WalletPurpose, string>> = {
  wallet: "Log in with this wallet.",
  "link-wallet": "Link this wallet to my account. Tokens that it sends will be credited there.",
};

/** Sign-In with Ethereum (EIP-4361): wallets prove by a signature whose they are. viem is loaded on the first use. */
export class Wallets {
  readonly #options: WalletsOptions;

  constructor(options: WalletsOptions) {
    this.#options = options;
  }

  get chainId(): number {
    return this.#options.chainId;
  }

  /** The message that a wallet signs to log in. */
  beginLogIn(origin: string, address: string): Promise<WalletChallenge> {
    return this.#begin("wallet", origin, address, {});
  }

  /** The message that a wallet signs to be linked to an account. */
  beginLink(origin: string, address: string, accountId: string): Promise<WalletChallenge> {
    return this.#begin("link-wallet", origin, address, { accountId });
  }

  /** The id of the person who may log in by the wallet that signed; undefined where anything is wrong. */
  async finishLogIn(origin: string, signed: SignedMessage): Promise<string | undefined> {
    let personId: string | undefined;
    // Looked up before the signature is checked, so that strangers can't make the service ask the chain.
    const isKnown = async (address: string) => {
      personId = (await this.#options.store.find(address))?.personId;
      return personId !== undefined;
    };
    return (await this.#verify("wallet", origin, signed, isKnown)) === undefined ? undefined : personId;
  }

  /** Links the wallet that signed. */
  async finishLink(
    origin: string,
    signed: SignedMessage,
    { accountId, personId, name }: Pick<LinkedWallet, "accountId" | "personId" | "name">,
  ): Promise<LinkedWallet> {
    const { store } = this.#options;
    const proof = await this.#verify("link-wallet", origin, signed);
    if (proof === undefined || proof.data.accountId !== accountId) {
      throw new Fault(
        "invalid_request",
        "This signature does not prove the wallet: it is of another message, site, chain or wallet, was used before, or came too late. Ask for a new message and sign that.",
        { param: "signature" },
      );
    }
    const wallets = await store.list(accountId);
    if (wallets.length >= WALLETS_MAX && !wallets.some(({ address }) => address === proof.address))
      throw new Fault("conflict", `You have ${WALLETS_MAX} wallets already. Unlink one first.`);
    const wallet = await store.link({ address: proof.address, accountId, personId, name });
    if (wallet === undefined) {
      throw new Fault("conflict", "This wallet is linked to another account. Unlink it there first.");
    }
    return wallet;
  }

  list(accountId: string): Promise<LinkedWallet[]> {
    return this.#options.store.list(accountId);
  }

  async unlink(accountId: string, address: string): Promise<void> {
    if (!isAddress(address) || !(await this.#options.store.unlink(accountId, address.toLowerCase())))
      throw new Fault("not_found", "No such wallet is linked to this account.");
  }

  async #begin(
    purpose: WalletPurpose,
    origin: string,
    address: string,
    data: Readonly<Record<string, string>>,
  ): Promise<WalletChallenge> {
    const { tokens, clock, chainId } = this.#options;
    const { createSiweMessage } = await import("viem/siwe");
    const { getAddress } = await import("viem");
    const nonce = randomBytes(16).toString("hex");
    const issuedAt = new Date(clock.now());
    const expiresAt = new Date(clock.now() + LIFETIME_SECONDS * 1_000);
    const message = createSiweMessage({
      domain: new URL(origin).host,
      uri: origin,
      address: getAddress(address.toLowerCase()),
      statement: STATEMENTS[purpose],
      version: "1",
      chainId,
      nonce,
      issuedAt,
      expirationTime: expiresAt,
    });
    await tokens.put(
      hashOfToken(nonce),
      purpose,
      { personId: undefined, data: { ...data, message } },
      LIFETIME_SECONDS,
    );
    return { message, nonce, expiresAt };
  }

  /** The wallet that signed, and what its nonce was made with. A nonce works once, even if its signature is refused. */
  async #verify(
    purpose: WalletPurpose,
    origin: string,
    { message, signature }: SignedMessage,
    isKnown: (address: string) => Promise<boolean> = async () => true,
  ) {
    const { tokens, clock, chainId } = this.#options;
    const { parseSiweMessage, validateSiweMessage } = await import("viem/siwe");
    const fields = parseSiweMessage(message);
    const { nonce, address, uri, expirationTime } = fields;
    if (nonce === undefined || address === undefined || expirationTime === undefined) return undefined;
    const issued = await tokens.consume(hashOfToken(nonce), purpose);
    // The service wrote the message. Another, such as one that says something else than what the signature is for, is none.
    if (issued?.data.message !== message) return undefined;
    const isRight =
      validateSiweMessage({ message: fields, domain: new URL(origin).host, nonce, time: new Date(clock.now()) }) &&
      fields.version === "1" &&
      fields.chainId === chainId &&
      uri !== undefined &&
      URL.canParse(uri) &&
      new URL(uri).origin === new URL(origin).origin;
    if (!isRight || !(await isKnown(address.toLowerCase()))) return undefined;
    if (!(await this.#isSignedBy(address.toLowerCase(), message, signature))) return undefined;
    return { address: address.toLowerCase(), data: issued.data };
  }

  /** Most wallets are keys. Where the key does not fit, the wallet may be a contract, which is asked on the chain. */
  async #isSignedBy(address: string, message: string, signature: string): Promise<boolean> {
    const { hashMessage, recoverAddress } = await import("viem");
    const digest = hashMessage(message);
    if (!isBytes(signature)) return false;
    const signer = await recoverAddress({ hash: digest, signature }).catch(() => undefined);
    if (signer?.toLowerCase() === address) return true;
    return this.#options.acceptsSignature(address, digest, signature);
  }
}

function isBytes(text: string): text is `0x${string}` {
  return /^0x(?:[0-9a-fA-F]{2})+$/.test(text);
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}
