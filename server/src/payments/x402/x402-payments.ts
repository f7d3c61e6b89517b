import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { RpcRefusal } from "../token/json-rpc.ts";
import { creditsFor, unitsFor } from "../token/token-rate.ts";
import type { AuthorisationUse, PaymentTerms, X402Chain } from "./x402-chain.ts";
import type { X402Settings } from "./x402-settings.ts";
import type { Authorisation, OpenPayment, X402Store } from "./x402-store.ts";

/** How long clients are asked to let an authorisation be valid. */
const VALID_SECONDS = 3_600;
/** How long one must be valid when it comes: for the answer, and for settling it after a crash. */
const VALID_SECONDS_MIN = 900;
/** How long after its end an authorisation is given up: by then every node shows whether it was used in time. */
const EXPIRED_MS = 120_000;
/** How many payments one run of the settlement looks at. */
const RUN_MAX = 100;

const hexSchema = (digits: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`));
const numberSchema = z.string().regex(/^\d{1,78}$/);

/** What a client sends in `PAYMENT-SIGNATURE`: version 2, the scheme `exact`, an authorisation of EIP-3009. */
const paymentSchema = z.object({
  x402Version: z.literal(2),
  accepted: z.object({ scheme: z.literal("exact"), network: z.string(), asset: z.string(), payTo: z.string() }),
  payload: z.object({
    signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/),
    authorization: z.object({
      from: hexSchema(40),
      to: hexSchema(40),
      value: numberSchema,
      validAfter: numberSchema,
      validBefore: numberSchema,
      nonce: hexSchema(64),
    }),
  }),
});

/** What a request can cost. */
export interface PaymentQuote {
  /** What the best model for it may cost. */
  readonly worst: NanoCredits;
  /** What the cheapest one may cost. Less than this can't pay for the request. */
  readonly least: NanoCredits;
  /** The resource that is paid for. */
  readonly url: string;
}

export interface X402Options {
  readonly settings: X402Settings;
  readonly chain: X402Chain;
  readonly store: X402Store;
  readonly clock: Clock;
  /** What all of a wallet's requests together may send a minute. */
  readonly limits: { readonly accountRequestsPerMinute: number };
  /** Returns what this instance has leased of an account and does not need now. */
  readonly returnLeases: (accountId: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Payments for single requests, by the standard x402 in its version 2. */
export class X402Payments {
  readonly #options: X402Options;
  #running: Promise<void> | undefined;

  constructor(options: X402Options) {
    this.#options = options;
  }

  /** Refuses a request without a payment: the fault has the terms on which it is served. */
  async askForPayment(quote: PaymentQuote, error: string, message = PAY): Promise<never> {
    const terms = await this.#termsFor(quote);
    const required = { x402Version: 2, error, resource: { url: quote.url }, accepts: [terms] };
    throw new Fault("payment_required", message, {
      paymentRequired: Buffer.from(JSON.stringify(required)).toString("base64"),
    });
  }

  /** Verifies and claims the payment of a request. Returns the caller who may send that one request. */
  async accept(header: string, quote: PaymentQuote): Promise<Caller> {
    const { settings, chain, store, clock } = this.#options;
    const refuse = (error: string, message: string) => this.askForPayment(quote, error, message);
    const sent = paymentSchema.safeParse(parseHeader(header));
    if (!sent.success) return refuse("invalid_payload", "The payment is not one of x402 version 2, scheme `exact`.");
    const terms = await this.#termsFor(quote);
    const { accepted, payload } = sent.data;
    const authorisation: Authorisation = { ...payload.authorization, signature: payload.signature };
    const isOurs =
      accepted.network === terms.network &&
      accepted.asset.toLowerCase() === settings.asset &&
      authorisation.to.toLowerCase() === settings.payTo;
    if (!isOurs) return refuse("invalid_network", "The payment is for another network, asset or recipient.");
    const { decimals } = await this.#facts();
    const amount = creditsFor(BigInt(authorisation.value), decimals, settings.rate);
    if (amount < quote.least || amount < toNanoCredits(settings.minimumCredits) || amount > AMOUNT_MAX)
      return refuse("invalid_exact_evm_payload_authorization_value", "The payment does not cover this request.");
    const secondsLeft = BigInt(authorisation.validBefore) - BigInt(Math.floor(clock.now() / 1000));
    if (secondsLeft < BigInt(VALID_SECONDS_MIN))
      return refuse(
        "invalid_exact_evm_payload_authorization_valid_before",
        `The payment is expired, or valid for less than ${VALID_SECONDS_MIN} s.`,
      );
    const mistake = await this.#askChain(() => chain.findMistake(terms, authorisation));
    if (mistake !== undefined) return refuse(mistake, `The payment is not valid: ${mistake}.`);
    const id = newId(clock.now());
    const payer = authorisation.from.toLowerCase();
    const { chainId, asset } = settings;
    const [balance, head] = await this.#askChain(() => Promise.all([chain.balanceOf(payer), chain.head()]));
    const claim = await store.claim({ id, chainId, asset, payer, amount, authorisation, head }, balance);
    if (claim.outcome === "used") return refuse("nonce_already_used", "This payment was used already. Sign another.");
    if (claim.outcome === "uncovered")
      return refuse(
        "insufficient_funds",
        "The wallet does not cover this payment and those of its requests that run now.",
      );
    if (claim.outcome === "blocked")
      return refuse("payer_blocked", "An earlier payment of this wallet failed on the chain. Pay otherwise.");
    if (claim.outcome === "suspended")
      throw new Fault("account_suspended", "This wallet is suspended. Ask the service's operator.");
    return this.#callerOf(id, claim.accountId, amount);
  }

  /** The request of a payment is over, however it ended. The payment is settled or taken back soon after. */
  async end({ keyId, accountId }: Caller): Promise<void> {
    try {
      await this.#options.store.end(keyId);
      await this.#options.returnLeases(accountId);
      await this.settle();
    } catch (error) {
      // The next run finds it.
      this.#options.onError(error);
    }
  }

  /** Moves every open payment on as far as it goes. Runs after each request, and now and then. */
  settle(): Promise<void> {
    const running = (this.#running ?? Promise.resolve()).then(() => this.#settleOpen());
    const settled = running.finally(() => {
      if (this.#running === settled) this.#running = undefined;
    });
    this.#running = settled.catch(() => undefined);
    return settled;
  }

  async #settleOpen(): Promise<void> {
    const { store, onError } = this.#options;
    await store.endOrphaned();
    for (const payment of await store.listOpen(RUN_MAX)) {
      // One that fails must not keep the others.
      await (payment.state === "ended" ? this.#begin(payment) : this.#check(payment)).catch(onError);
    }
  }

  async #begin(payment: OpenPayment): Promise<void> {
    const { store, chain } = this.#options;
    if ((await store.decide(payment.id)) !== "settle") return;
    if ((await this.#closeByUse(payment)) !== "unused") return;
    const known = await chain.sender.nonce();
    // Fails where the wallet can't pay now: it is tried again until the authorisation expires.
    const signed = await store.beginSettling(payment.id, await chain.sender.address(), (least) =>
      chain.signTransfer(payment.authorisation, known > least ? known : least),
    );
    if (signed === undefined) return;
    await chain.sender.send(signed.raw);
    await this.#check({ ...payment, state: "settling", transaction: signed });
  }

  async #check(payment: OpenPayment): Promise<void> {
    const { store, chain } = this.#options;
    const { id, transaction } = payment;
    if (transaction === undefined) return;
    const { kind: state } = await chain.sender.state(transaction.hash);
    if (state === "mined") return store.settle(id);
    if ((await this.#closeByUse(payment)) !== "unused") return;
    if (state === "reverted") return store.abandonTransaction(id);
    try {
      await chain.sender.send(transaction.raw);
    } catch (error) {
      // Another transaction of the same sender took its place: this one can't be mined any more.
      if (!(error instanceof RpcRefusal) || !/nonce/i.test(error.message)) throw error;
      if ((await chain.sender.state(transaction.hash)).kind === "unknown") await store.abandonTransaction(id);
    }
  }

  /** Ends a payment whose authorisation was used, spoiled or has expired. Another may have sent it: then we are paid too. */
  async #closeByUse({ id, authorisation, head, validBefore }: OpenPayment): Promise<AuthorisationUse | "expired"> {
    const { store, chain, clock } = this.#options;
    const use = await chain.useOf(authorisation, head);
    if (use === "paid") await store.settle(id);
    if (use === "spoiled") await store.lose(id);
    if (use === "paid" || use === "spoiled") return use;
    if (validBefore.getTime() + EXPIRED_MS > clock.now()) return use;
    await store.lose(id);
    return "expired";
  }

  async #termsFor({ worst }: PaymentQuote): Promise<PaymentTerms> {
    const { settings } = this.#options;
    const { decimals, name } = await this.#facts();
    const minimum = toNanoCredits(settings.minimumCredits);
    return {
      scheme: "exact",
      network: `eip155:${settings.chainId}`,
      asset: settings.asset,
      amount: String(unitsFor(worst > minimum ? worst : minimum, decimals, settings.rate)),
      payTo: settings.payTo,
      maxTimeoutSeconds: VALID_SECONDS,
      extra: { name, version: settings.assetVersion },
    };
  }

  #facts() {
    return this.#askChain(() => this.#options.chain.facts());
  }

  async #askChain<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      this.#options.onError(error);
      throw new Fault("unavailable", "The chain that payments are made on does not answer. Try again shortly.", {
        retryAfterSeconds: 5,
      });
    }
  }

  /** A caller for one request, that may spend what was paid and not more. */
  #callerOf(id: string, accountId: string, amount: NanoCredits): Caller {
    return {
      ...ANONYMOUS,
      keyId: id,
      accountId,
      provider: `wallet-${accountId}`,
      accountRequestsPerMinute: this.#options.limits.accountRequestsPerMinute,
      budget: { limit: amount, period: "total" },
    };
  }
}

const PAY =
  "Send your key as `Authorization: Bearer <key>`, or pay for this request by x402: `PAYMENT-REQUIRED` has the terms.";

/** No balance is larger. */
const AMOUNT_MAX = 10n ** 18n;

/** Who sends requests without a key, until they are paid for. */
export const ANONYMOUS: Caller = {
  keyId: "00000000-0000-0000-0000-000000000000",
  accountId: "00000000-0000-0000-0000-000000000000",
  provider: "anonymous",
  operator: false,
  suspended: false,
  person: undefined,
  scopes: new Set(["inference"]),
  requestsPerMinute: undefined,
  accountRequestsPerMinute: undefined,
  admissionWeight: 1,
  budget: undefined,
  models: undefined,
  ips: undefined,
  strategy: undefined,
  weights: undefined,
  keepsContent: false,
  timeZone: "UTC",
};

function parseHeader(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, "base64").toString());
  } catch {
    return undefined;
  }
}
