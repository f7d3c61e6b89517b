import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useEffect, useRef } from "react";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Progress } from "../../ui/progress.tsx";
import { Time } from "../../ui/time.tsx";
import { depositsQuery, tokenQuery } from "./token-queries.ts";
import { shorten } from "./token-units.ts";

const TEXTS = texts.billing.tokenDeposits;

type Deposits = AnswerOf<"GET /v1/billing/token/deposits">;

const TONES = { credited: "positive", unclaimed: "warning", empty: "neutral", review: "warning" } as const;
const WORDS = {
  credited: TEXTS.credited,
  unclaimed: TEXTS.waiting,
  empty: TEXTS.worthNothing,
  review: TEXTS.withTheOperator,
} as const;

/** Token payments: those on their way with their confirmations, and the last ones that came. */
export function RecentDeposits() {
  const { data } = useQuery(depositsQuery);
  const { data: token } = useQuery(tokenQuery);
  const symbol = token?.symbol ?? TEXTS.tokens;
  useBalanceOf(data);
  if (data === undefined || (data.pending.length === 0 && data.data.length === 0)) return null;
  return (
    <section aria-label={TEXTS.tokenPayments} className="grid w-full gap-3">
      <h3 className="font-medium">{TEXTS.tokenPayments}</h3>
      <ul className="grid gap-3" aria-live="polite">
        {data.pending.map((deposit) => (
          <li key={`${deposit.transaction} ${deposit.log_index}`}>
            <Progress
              label={
                deposit.credits === null
                  ? TEXTS.onTheWay(deposit.amount, symbol)
                  : TEXTS.onTheWayFor(deposit.amount, symbol, formatMoney(deposit.credits))
              }
              value={deposit.confirmations}
              max={deposit.confirmations_needed}
              text={TEXTS.ofBlocks(
                Math.min(deposit.confirmations, deposit.confirmations_needed),
                deposit.confirmations_needed,
              )}
            />
          </li>
        ))}
        {data.data.map((deposit) => (
          <li key={deposit.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
            <span className="min-w-0">
              {deposit.credits === null
                ? `${deposit.amount} ${symbol}`
                : TEXTS.amountFor(deposit.amount, symbol, formatMoney(deposit.credits))}{" "}
              <span className="text-muted">
                <Sentence
                  text={TEXTS.from}
                  parts={{ fromValue: shorten(deposit.from), time: <Time at={deposit.created_at} /> }}
                />
              </span>
              {deposit.note !== null && <span className="block text-muted">{deposit.note}</span>}
            </span>
            <Badge tone={TONES[deposit.state]} dot>
              {WORDS[deposit.state]}
            </Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Reads the balance and the transactions again when another payment was credited. */
function useBalanceOf(deposits: Deposits | undefined): void {
  const queries = useQueryClient();
  const newest = deposits?.data.find(({ state }) => state === "credited")?.id;
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (deposits === undefined) return;
    const before = known.current;
    known.current = newest ?? "";
    if (before === undefined || before === known.current) return;
    void queries.invalidateQueries({ queryKey: ["balance"] });
    void queries.invalidateQueries({
      queryKey: ["billing"],
      predicate: ({ queryKey }) => queryKey[1] !== "token-deposits",
    });
  }, [deposits, newest, queries]);
}
