import { cachedFullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { RequestClient } from "./request-spans.ts";

/** Lines wait at most this long for others, so that many are written at once. */
const DELAY_MS = 500;
const LINES_MAX = 256;

/**
 * Writes a line for each request that ended, or for a share of them; those that failed on our side are always written. A line
 * names no content.
 */
export class AccessLog {
  readonly #share: number;
  readonly #random: Random;
  readonly #write: (lines: string) => void;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(share: number, random: Random, write: (lines: string) => void) {
    this.#share = share;
    this.#random = random;
    this.#write = write;
  }

  observe(trace: RequestTrace, status: number, client: RequestClient | undefined): void {
    if (status < 500 && this.#share < 1 && this.#random() >= this.#share) return;
    this.#lines.push(toLine(trace, status, client));
    if (this.#lines.length >= LINES_MAX) this.flush();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.flush(), DELAY_MS);
      this.#timer.unref();
    }
  }

  /** Writes the lines that wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    this.#write(this.#lines.join(""));
    this.#lines = [];
  }
}

function toLine(trace: RequestTrace, status: number, client: RequestClient | undefined): string {
  const { caller, inference, chosen, charge, cache, elapsedMs, context } = trace;
  const agent = client?.headers["user-agent"];
  const fields = {
    level: 30,
    time: trace.receivedAt.getTime(),
    msg: "request",
    requestId: trace.requestId,
    trace_id: context?.traceId,
    method: client?.method,
    path: trace.path,
    status,
    error: trace.faultType,
    ms: round(elapsedMs),
    provider_ms: inference === undefined ? undefined : round(trace.providerMs),
    address: client?.ip,
    user_agent: typeof agent === "string" ? agent.slice(0, 200) : undefined,
    account: caller?.accountId,
    key: caller?.keyId,
    model: chosen === undefined ? undefined : cachedFullNameOf(chosen.model),
    attempts: trace.attempts.length > 1 ? trace.attempts.length : undefined,
    streamed: inference?.streaming === true ? true : undefined,
    input_tokens: charge?.inputTokens,
    output_tokens: charge?.outputTokens,
    cost: charge === undefined ? undefined : toCredits(charge.cost),
    cache: cache?.result,
  };
  return `${JSON.stringify(fields)}\n`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
