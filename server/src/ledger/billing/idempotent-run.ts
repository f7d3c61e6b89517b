import { createHash } from "node:crypto";
import type { Caller } from "@trunkline/core/caller.ts";
import { FAULT_STATUS, Fault, type FaultDetails, type FaultType } from "@trunkline/core/fault.ts";
import type { Part, Receipt, ReceiptSegment } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { IdempotentAnswer } from "./settlement.ts";

export interface Claim {
  readonly accountId: string;
  readonly path: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly requestId: string;
}

export type ClaimOutcome =
  | { readonly kind: "mine" }
  | { readonly kind: "running" }
  | { readonly kind: "mismatch" }
  | { readonly kind: "answered"; readonly answer: unknown };

export interface IdempotentRunStore {
  claim(claim: Claim): Promise<ClaimOutcome>;
  abandon(claim: Claim): Promise<void>;
}

/** What is kept of a finished run: enough to answer a repetition with the same status and body. */
type StoredRun =
  | {
      readonly parts: readonly Part[];
      readonly receipt: StoredReceipt;
      /** What an older version has kept does not say it. */
      readonly requestId?: string;
      /** What the parts need to become the answer again, for nobody's eyes. */
      readonly sealed?: string;
    }
  | {
      readonly fault: {
        readonly type: FaultType;
        readonly message: string;
        readonly details: FaultDetails;
        readonly requestId: string;
      };
    };

type StoredReceipt = Omit<Receipt, "cost" | "legs"> & {
  readonly cost: string;
  readonly legs?: readonly (Omit<ReceiptSegment, "cost"> & { readonly cost: string })[] | undefined;
};

/** What a repetition is given. */
export interface StoredAnswer {
  readonly parts: AsyncIterable<Part | Receipt>;
  readonly sealed: string | undefined;
}

/** A fault that a repeated request is given again, with the id of the request that first met it. */
export class ReplayedFault extends Fault {
  readonly requestId: string;

  constructor(type: FaultType, message: string, details: FaultDetails, requestId: string) {
    super(type, message, details);
    this.requestId = requestId;
  }
}

/**
 * One run per idempotency key. A run begins when the request has been validated; what refuses it before a provider is
 * called (no model, no money, unsafe input) gives the key back, so that the client may mend the cause and try again.
 */
export class IdempotentRun {
  readonly #store: IdempotentRunStore;
  readonly #claim: Claim | undefined;
  readonly #parts: Part[] = [];
  #sealed: string | undefined;
  /** The answer of an earlier run, to be given instead of running again. */
  readonly stored: StoredAnswer | undefined;

  private constructor(store: IdempotentRunStore, claim: Claim | undefined, kept: StoredAnswer | undefined) {
    this.#store = store;
    this.#claim = claim;
    this.stored = kept;
  }

  static async begin(
    store: IdempotentRunStore,
    key: string | undefined,
    caller: Caller,
    requestTrace: RequestTrace,
    body: string,
  ): Promise<IdempotentRun> {
    if (key === undefined) return new IdempotentRun(store, undefined, undefined);
    const fingerprint = createHash("sha256").update(body).digest();
    const claim = {
      accountId: caller.accountId,
      path: requestTrace.path,
      key,
      fingerprint,
      requestId: requestTrace.requestId,
    };
    const outcome = await store.claim(claim);
    switch (outcome.kind) {
      case "mine":
        return new IdempotentRun(store, claim, undefined);
      case "running":
        throw new Fault(
          "idempotency_in_progress",
          "A request with this Idempotency-Key is still running. Try again shortly.",
          {
            retryAfterSeconds: 1,
          },
        );
      case "mismatch":
        throw new Fault(
          "idempotency_mismatch",
          "This Idempotency-Key was used with another body. Use a new key for a new request.",
        );
      case "answered":
        return new IdempotentRun(store, undefined, storedAnswer(outcome.answer as StoredRun, requestTrace));
    }
  }

  record(part: Part): void {
    if (this.#claim !== undefined) this.#parts.push(part);
  }

  /** What is kept beside the parts, worked out only where they are kept. */
  recordSealed(seal: () => string | undefined): void {
    if (this.#claim !== undefined) this.#sealed = seal();
  }

  answeredWith(receipt: Receipt): IdempotentAnswer | undefined {
    if (this.#claim === undefined) return undefined;
    const { key, requestId } = this.#claim;
    const answer: StoredRun = {
      parts: this.#parts,
      receipt: {
        ...receipt,
        cost: String(receipt.cost),
        legs: receipt.legs?.map((leg) => ({ ...leg, cost: String(leg.cost) })),
      },
      requestId,
      ...(this.#sealed === undefined ? {} : { sealed: this.#sealed }),
    };
    return { key, answer };
  }

  failedWith(fault: Fault): IdempotentAnswer | undefined {
    if (this.#claim === undefined) return undefined;
    const { type, message, details } = fault;
    const answer: StoredRun = { fault: { type, message, details, requestId: this.#claim.requestId } };
    return { key: this.#claim.key, answer };
  }

  /** Nothing ran: the key is free again. */
  async abandon(): Promise<void> {
    if (this.#claim !== undefined) await this.#store.abandon(this.#claim);
  }
}

function storedAnswer(storedRun: StoredRun, requestTrace: RequestTrace): StoredAnswer {
  return {
    parts: replayParts(storedRun, requestTrace),
    sealed: "sealed" in storedRun ? storedRun.sealed : undefined,
  };
}

async function* replayParts(storedRun: StoredRun, requestTrace: RequestTrace): AsyncGenerator<Part | Receipt> {
  requestTrace.replayed = true;
  if ("fault" in storedRun) {
    const { type, message, details, requestId } = storedRun.fault;
    if (!(type in FAULT_STATUS)) throw new Error(`An idempotent answer was kept with an unknown type: ${type}`);
    throw new ReplayedFault(type, message, details, requestId);
  }
  requestTrace.replayOf = {
    requestId: storedRun.requestId ?? requestTrace.requestId,
    model: storedRun.receipt.model,
  };
  yield* storedRun.parts;
  const { cost, legs, ...told } = storedRun.receipt;
  yield {
    ...told,
    cost: BigInt(cost),
    ...(legs === undefined ? {} : { legs: legs.map((leg) => ({ ...leg, cost: BigInt(leg.cost) })) }),
  };
}
