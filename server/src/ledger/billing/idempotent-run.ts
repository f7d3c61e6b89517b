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
      /** Where a stream had begun before the fault. */
      readonly begun?: BegunStream | undefined;
    };

/** What a stream gave before it broke off. */
export interface BegunStream {
  readonly parts: readonly Part[];
  /** The models that gave it, the last one at the end. */
  readonly models: readonly Receipt["model"][];
  readonly sealed?: string | undefined;
}

type StoredReceipt = Omit<Receipt, "cost" | "legs"> & {
  readonly cost: string;
  readonly legs?: readonly (Omit<ReceiptSegment, "cost"> & { readonly cost: string })[] | undefined;
};

/** What a repeated request is answered with. Either it ends with a receipt, or it is a stream that breaks off with a fault. */
export interface StoredAnswer {
  readonly parts: readonly Part[];
  readonly end: { readonly receipt: Receipt } | { readonly fault: Fault };
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
        const stored = toStoredAnswer(outcome.answer as StoredRun, requestTrace, caller);
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

  /** `begun`: what a stream had given before. */
  failedWith(fault: Fault, begun?: BegunStream): IdempotentAnswer | undefined {
    if (this.#claim === undefined) return undefined;
    const { type, message, details } = fault;
    const answer: StoredRun = { fault: { type, message, details, requestId: this.#claim.requestId }, begun };
    return { key: this.#claim.key, answer };
  }

  /** Frees the key after a run that stored no answer. Returns a promise only where there is a key. */
  abandon(): void | Promise<void> {
    if (this.#claim !== undefined) return this.#store?.abandon(this.#claim);
  }
}

/** The answer of an earlier run. Throws its fault, if it ended with one before it gave anything. */
function toStoredAnswer(storedRun: StoredRun, requestTrace: RequestTrace, caller: Caller): StoredAnswer {
  if (!("fault" in storedRun)) {
    const { parts, receipt, requestId = requestTrace.requestId, sealed } = storedRun;
    const legs = receipt.legs?.map((segment) => ({ ...segment, cost: BigInt(segment.cost) }));
    refuseUnusableModels(caller, [receipt.model, ...(legs ?? []).map(({ model }) => model)]);
    requestTrace.replayed = true;
    requestTrace.replayOf = { requestId, model: receipt.model };
    return { parts, end: { receipt: { ...receipt, cost: BigInt(receipt.cost), legs } }, sealed };
  }
  const { begun } = storedRun;
  const { type, message, details, requestId } = storedRun.fault;
  if (!(type in FAULT_STATUS)) throw new Error(`An idempotent answer was kept with an unknown type: ${type}`);
  const fault = new ReplayedFault(type, message, details, requestId);
  if (begun !== undefined) refuseUnusableModels(caller, begun.models);
  requestTrace.replayed = true;
  if (begun === undefined) throw fault;
  const model = begun.models.at(-1);
  if (model !== undefined) requestTrace.replayOf = { requestId, model };
  return { parts: begun.parts, end: { fault }, sealed: begun.sealed };
}

/** Another key of the account may repeat a request, but gets no answer of a model that it may not use. */
function refuseUnusableModels({ models }: Caller, used: readonly Receipt["model"][]): void {
  if (models === undefined || used.every((model) => models.has(model.name) || models.has(fullNameOf(model)))) return;
  throw new Fault(
    "insufficient_scope",
    "This Idempotency-Key was answered by a model that this key may not use. Use another Idempotency-Key, or another key.",
  );
}
