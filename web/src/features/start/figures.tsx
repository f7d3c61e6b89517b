import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { formatDay, formatMoney, formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import type { Overview } from "./overview-query.ts";

const TEXTS = texts.home.figures;

/** The figures at a glance: what is left, what was spent, how much was asked and how much of it failed. */
export function Figures({ overview }: { readonly overview: Overview }) {
  const { balance, today, yesterday, month, days } = overview;
  return (
    <StatRow>
      <Stat
        label={TEXTS.balance}
        value={<Amount credits={balance} />}
        hint={
          <Link to="/billing" className={TEXT_LINK}>
            {TEXTS.billing}
          </Link>
        }
      />
      <Stat
        label={TEXTS.today}
        value={<Amount credits={today.cost} />}
        hint={TEXTS.yesterday(formatMoney(yesterday.cost))}
      />
      <Stat label={TEXTS.month} value={<Amount credits={month.cost} />} hint={TEXTS.monthHint}>
        <Sparkline values={days.map(({ cost }) => cost)} label={describeDays(overview)} className="mt-2" />
      </Stat>
      <Stat label={TEXTS.requests} value={formatNumber(month.requests)} hint={describeMonth(overview)}>
        <Sparkline values={days.map(({ requests }) => requests)} label={TEXTS.requestsChart} className="mt-2" />
      </Stat>
    </StatRow>
  );
}

/** Over two lines on a phone where it is long. */
function Amount({ credits }: { readonly credits: number }) {
  return <Money credits={credits} className="wrap-anywhere whitespace-normal! max-sm:text-lg" />;
}

function describeMonth({ month: { requests, errors }, today }: Overview): string {
  if (requests + errors === 0) return TEXTS.none;
  const ofToday = formatNumber(today.requests);
  return errors === 0 ? TEXTS.noErrors(ofToday) : TEXTS.errors(formatPercent(errors / (requests + errors)), ofToday);
}

function describeDays({ days }: Overview): string {
  const most = days.reduce<Overview["days"][number] | undefined>(
    (best, day) => (best === undefined || day.cost > best.cost ? day : best),
    undefined,
  );
  if (most === undefined || most.cost === 0) return TEXTS.spendChart;
  return TEXTS.spendMost(formatMoney(most.cost), formatDay(`${most.day}T12:00:00Z`, "UTC"));
}
