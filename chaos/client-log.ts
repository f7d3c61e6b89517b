import { createHash } from "node:crypto";
import { fromCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { Ending } from "./exchange.ts";

/** Everything a client knows about one request that it sent. */
export interface ClientRecord {
  readonly kind: string;
  readonly ticket: string;
  /** The account that pays. */
  readonly accountId: string;
  readonly instance: string;
  readonly path: string;
  readonly idempotencyKey: string | undefined;
  readonly outcome: Ending["kind"];
  /** What the answer says it is: of a stream that ended with an error, the error's. 0 where there is none. */
  readonly status: number;
  readonly errorType: string | undefined;
  readonly requestId: string | undefined;
  /** The cost that the answer named. */
  readonly cost: NanoCredits | undefined;
  readonly bodyHash: string | undefined;
  readonly isReplayed: boolean;
  readonly saysWhenToComeBack: boolean;
  /** Whether a whole answer was the one to this ticket. */
  readonly isOwnAnswer: boolean;
  readonly sentAt: number;
  readonly endedAt: number;
}

export type Sending = Pick<
  ClientRecord,
  "kind" | "ticket" | "accountId" | "instance" | "path" | "idempotencyKey" | "sentAt"
>;

/** The records of all clients. */
export class ClientLog {
  readonly records: ClientRecord[] = [];
  /** Tickets whose client gave up waiting for an answer. */
  readonly givenUp: string[] = [];

  note(sending: Sending, ending: Ending): ClientRecord {
    const record = recordOf(sending, ending);
    this.records.push(record);
    return record;
  }
}

interface AnswerBody {
  readonly output?: string;
  readonly delta?: string;
  readonly cost?: number;
  readonly done?: boolean;
  readonly error?: { readonly type?: string; readonly code?: number; readonly cost?: number };
}

/** What an exchange amounts to. */
export function recordOf(sending: Sending, ending: Ending): ClientRecord {
  const isWhole = ending.kind === "answered";
  const lines = isWhole ? linesOf(ending.text) : [];
  const last = lines.at(-1);
  const isStream = sending.path === "/v1/stream" && ending.status === 200;
  const isBrokenStream = isStream && isWhole && last?.done !== true;
  const cost = last?.cost ?? last?.error?.cost;
  return {
    ...sending,
    outcome: isBrokenStream ? "cut" : ending.kind,
    status: isWhole ? (last?.error?.code ?? ending.status) : 0,
    errorType: last?.error?.type,
    requestId: headerOf(ending, "x-request-id"),
    cost: cost === undefined ? undefined : fromCredits(cost),
    bodyHash: isWhole ? createHash("sha256").update(ending.text).digest("base64url") : undefined,
    isReplayed: headerOf(ending, "idempotent-replayed") === "true",
    saysWhenToComeBack: Number(headerOf(ending, "retry-after")) > 0 || isStream,
    isOwnAnswer: `${lines.map(({ output, delta }) => output ?? delta ?? "").join("")} `.startsWith(
      `${sending.ticket} `,
    ),
    endedAt: performance.now(),
  };
}

function headerOf({ headers }: Ending, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function linesOf(text: string): AnswerBody[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      try {
        return JSON.parse(line) as AnswerBody;
      } catch {
        return {};
      }
    });
}
