import type { Claim, ClaimOutcome, IdempotentRunStore } from "../../src/ledger/billing/idempotent-run.ts";
import type { Settlement } from "../../src/ledger/billing/settlement.ts";

interface KeptRun {
  readonly claim: Claim;
  answer: unknown;
}

/** Idempotency keys in memory. Answers pass through JSON, as they do in the store. */
export class MemoryRuns implements IdempotentRunStore {
  readonly #runs = new Map<string, KeptRun>();

  async claim(claim: Claim): Promise<ClaimOutcome> {
    const known = this.#runs.get(nameOf(claim));
    if (known === undefined) {
      this.#runs.set(nameOf(claim), { claim, answer: undefined });
      return { kind: "mine" };
    }
    if (!known.claim.fingerprint.equals(claim.fingerprint)) return { kind: "mismatch" };
    return known.answer === undefined ? { kind: "running" } : { kind: "answered", answer: known.answer };
  }

  async abandon(claim: Claim): Promise<void> {
    const known = this.#runs.get(nameOf(claim));
    if (known?.claim.requestId === claim.requestId && known.answer === undefined) this.#runs.delete(nameOf(claim));
  }

  /** What the ledger's statement does with a settlement's idempotent answer. */
  keep({ accountId, path, requestId, idempotent }: Settlement): void {
    if (idempotent === undefined) return;
    const known = this.#runs.get(nameOf({ accountId, path, key: idempotent.key }));
    if (known?.claim.requestId === requestId) known.answer = JSON.parse(JSON.stringify(idempotent.answer));
  }
}

function nameOf({ accountId, path, key }: Pick<Claim, "accountId" | "path" | "key">): string {
  return JSON.stringify([accountId, path, key]);
}
