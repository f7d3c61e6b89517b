import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { modelUsageQuery, type Overview } from "./overview-query.ts";

const TEXTS = texts.home.top;
const SHOWN = 5;

/** What the month's credits went to, the dearest first; where all was free, the most used. */
export function TopModels({ overview, lastId }: { readonly overview: Overview; readonly lastId: string }) {
  const month = overview.days.at(-1)?.day.slice(0, 7) ?? "";
  const { data, error, refetch } = useQuery(modelUsageQuery(`${month}-01`, lastId));
  const rows = (data?.data ?? [])
    .filter(({ model, requests }) => model !== "" && requests > 0)
    .toSorted((a, b) => b.cost - a.cost || b.requests - a.requests)
    .slice(0, SHOWN);
  const isFree = rows.every(({ cost }) => cost === 0);
  const top = Math.max(...rows.map(({ cost, requests }) => (isFree ? requests : cost)), 0);

  return (
    <Section
      title={TEXTS.title}
      actions={
        <Link to="/usage" className={TEXT_LINK}>
          {TEXTS.viewAll}
        </Link>
      }
    >
      {data !== undefined ? (
        <Card>
          {rows.length === 0 ? (
            <p className="text-muted">{TEXTS.none}</p>
          ) : (
            <ul className="grid gap-4">
              {rows.map(({ model, model_name: fullName, requests, cost }) => (
                <li key={model} className="grid gap-1.5">
                  <div className="flex items-baseline justify-between gap-4">
                    <span className="min-w-0 truncate font-medium" title={fullName}>
                      {fullName}
                    </span>
                    <Money credits={cost} />
                  </div>
                  <Progress
                    label={TEXTS.compared(String(fullName))}
                    hideLabel
                    value={isFree ? requests : cost}
                    max={top}
                  />
                  <span className="text-sm text-muted">{TEXTS.requests(requests)}</span>
                </li>
              ))}
            </ul>
          )}
        </Card>
      ) : error === null ? (
        <SkeletonRows rows={4} label={TEXTS.loading} />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </Section>
  );
}
