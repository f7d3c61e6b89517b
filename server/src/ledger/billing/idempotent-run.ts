import { createHash } from "node:crypto";
import type { Caller } from "@trunkline/core/caller.ts";
import { FAULT_STATUS, Fault, type FaultDetails, type FaultType } from "@trunkline/core/fault.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
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

/** What is stored of a finished run: enough to answer a repeated request with the same status and body. */
type StoredRun =
  | {
      readonly parts: readonly Part[];
      readonly receipt: StoredReceipt;
      /** Missing in runs stored by earlier versions. */
      readonly requestId?: string;
      /** The redacted values that the parts need to become the answer again, encrypted. */
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

/** What a repeated request is answered with. */
export interface StoredAnswer {
  readonly parts: readonly Part[];
  readonly receipt: Receipt;
  readonly sealed: string | undefined;
}

/** A stored fault that answers a repeated request, with the id of the first request. */
export class ReplayedFault extends Fault {
  readonly requestId: string;

  constructor(type: FaultType, message: string, details: FaultDetails, requestId: string) {
    super(type, message, details);
    this.requestId = requestId;
  }
}

/**
 * One run per idempotency key. A run begins once the request is validated. A refusal before a provider is called (no
 * model, no money, unsafe input) frees the key, so that the client can fix the cause and try again.
 */
export class IdempotentRun {
  readonly #store: IdempotentRunStore | undefined;
  readonly #claim: Claim | undefined;
  /** The answer of an earlier run. It is sent instead of running again. */
  readonly stored: StoredAnswer | undefined;

  private constructor(
    store: IdempotentRunStore | undefined,
    claim: Claim | undefined,
    stored: StoredAnswer | undefined,
  ) {
    this.#store = store;
    this.#claim = claim;
    this.stored = stored;
  }

  /** The run of every request without an idempotency key. */
  static readonly withoutKey = new IdempotentRun(undefined, undefined, undefined);

  /** Returns a promise only where there is a key. */
  static begin(
    store: IdempotentRunStore,
    key: string | undefined,
    caller: Caller,
    requestTrace: RequestTrace,
    body: string,
  ): IdempotentRun | Promise<IdempotentRun> {
    if (key === undefined) return IdempotentRun.withoutKey;
    return IdempotentRun.#claimKey(store, key, caller, requestTrace, body);
  }

  static async #claimKey(
    store: IdempotentRunStore,
    key: string,
    caller: Caller,
    requestTrace: RequestTrace,
    body: string,
  ): Promise<IdempotentRun> {
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
      case "answered": {
        const stored = toStoredAnswer(outcome.answer as StoredRun, requestTrace);
        refuseUnusableModels(caller, stored.receipt, requestTrace);
        return new IdempotentRun(store, undefined, stored);
      }
    }
  }

  /** Whether there is a key, so that the answer is stored for repeated requests. */
  get storesAnswer(): boolean {
    return this.#claim !== undefined;
  }

  /** `sealed`: the redacted values that were restored in the answer, encrypted. */
  answeredWith(parts: readonly Part[], receipt: Receipt, sealed: string | undefined): IdempotentAnswer | undefined {
    if (this.#claim === undefined) return undefined;
    const { key, requestId } = this.#claim;
    const answer: StoredRun = {
      parts,
      receipt: {
        ...receipt,
        cost: String(receipt.cost),
        legs: receipt.legs?.map((segment) => ({ ...segment, cost: String(segment.cost) })),
      },
      requestId,
      ...(sealed === undefined ? {} : { sealed }),
    };
    return { key, answer };
  }

  failedWith(fault: Fault): IdempotentAnswer | undefined {
    if (this.#claim === undefined) return undefined;
    const { type, message, details } = fault;
    const answer: StoredRun = { fault: { type, message, details, requestId: this.#claim.requestId } };
    return { key: this.#claim.key, answer };
  }

  /** Frees the key after a run that stored no answer. Returns a promise only where there is a key. */
  abandon(): void | Promise<void> {
    if (this.#claim !== undefined) return this.#store?.abandon(this.#claim);
  }
}

/** The answer of an earlier run. Throws its fault, if it ended with one. */
function toStoredAnswer(storedRun: StoredRun, requestTrace: RequestTrace): StoredAnswer {
  requestTrace.replayed = true;
  if ("fault" in storedRun) {
    const { type, message, details, requestId } = storedRun.fault;
    if (!(type in FAULT_STATUS)) throw new Error(`An idempotent answer was kept with an unknown type: ${type}`);
    throw new ReplayedFault(type, message, details, requestId);
  }
  const { parts, receipt, requestId = requestTrace.requestId, sealed } = storedRun;
  requestTrace.replayOf = { requestId, model: receipt.model };
  const legs = receipt.legs?.map((segment) => ({ ...segment, cost: BigInt(segment.cost) }));
  return { parts, receipt: { ...receipt, cost: BigInt(receipt.cost), legs }, sealed };
}

/** Another key of the account may repeat a request, but gets no answer of a model that it may not use. */
function refuseUnusableModels({ models }: Caller, { model, legs = [] }: Receipt, requestTrace: RequestTrace): void {
  if (models === undefined) return;
  const answered = [model, ...legs.map((segment) => segment.model)];
  if (answered.every((used) => models.has(used.name) || models.has(fullNameOf(used)))) return;
  requestTrace.replayed = false;
  requestTrace.replayOf = undefined;
  throw new Fault(
    "insufficient_scope",
    "This Idempotency-Key was answered by a model that this key may not use. Use another Idempotency-Key, or another key.",
  );
}
