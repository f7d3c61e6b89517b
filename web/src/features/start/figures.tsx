import { Link } from "@tanstack/react-router";
import { formatDay, formatMoney, formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import type { Overview } from "./overview-query.ts";

/** The figures at a glance: what is left, what was spent, how much was asked and how much of it failed. */
export function Figures({ overview }: { readonly overview: Overview }) {
  const { balance, today, yesterday, month, days } = overview;
  return (
    <StatRow>
      <Stat
        label="Balance"
        value={<Amount credits={balance} />}
        hint={
          <Link to="/billing" className={TEXT_LINK}>
            Billing
          </Link>
        }
      />
      <Stat
        label="Spent today"
        value={<Amount credits={today.cost} />}
        hint={`${formatMoney(yesterday.cost)} by this time yesterday`}
      />
      <Stat label="Spent this month" value={<Amount credits={month.cost} />} hint="By day, over the last 30 days">
        <Sparkline values={days.map(({ cost }) => cost)} label={describeDays(overview)} className="mt-2" />
      </Stat>
      <Stat label="Requests this month" value={formatNumber(month.requests)} hint={describeMonth(overview)}>
        <Sparkline
          values={days.map(({ requests }) => requests)}
          label="Answered requests by day, over the last 30 days"
          className="mt-2"
        />
      </Stat>
    </StatRow>
  );
}

/** Every decimal, over two lines on a phone. */
function Amount({ credits }: { readonly credits: number }) {
  return <Money credits={credits} className="wrap-anywhere whitespace-normal! max-sm:text-lg" />;
}

function describeMonth({ month: { requests, errors }, today }: Overview): string {
  if (requests + errors === 0) return "None yet";
  const rate = errors === 0 ? "No errors" : `${formatPercent(errors / (requests + errors))} errors`;
  return `${rate} · ${formatNumber(today.requests)} today`;
}

function describeDays({ days }: Overview): string {
  const most = days.reduce<Overview["days"][number] | undefined>(
    (best, day) => (best === undefined || day.cost > best.cost ? day : best),
    undefined,
  );
  const words = "Spent by day, over the last 30 days";
  if (most === undefined || most.cost === 0) return `${words}: nothing`;
  return `${words}: at most ${formatMoney(most.cost)}, on ${formatDay(`${most.day}T12:00:00Z`, "UTC")}`;
}
