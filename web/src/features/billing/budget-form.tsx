import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, FormField, NumberField } from "../../ui/form.tsx";
import { formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { alertsQuery } from "./queries.ts";

const TEXTS = texts.credits.budget;

type AccountBudget = AnswerOf<"GET /v1/billing/budget">;
type Period = NonNullable<AccountBudget["budget"]>["period"];
const PERIODS = Object.entries(TEXTS.periods) as [Period, string][];

const budgetQuery = queryOptions({
  queryKey: ["billing", "budget"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/budget", { signal }),
  refetchInterval: 30_000,
});

/** What the organisation may spend in a period, and how much of it is gone. */
export function BudgetForm() {
  const { data, error, refetch } = useQuery(budgetQuery);
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      {data !== undefined ? (
        <BudgetCard key={JSON.stringify(data.budget)} current={data} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <Card className="min-h-72">
          <p role="status" className="sr-only">
            {TEXTS.loading}
          </p>
          <Skeleton className="h-5 w-64 max-w-full" />
        </Card>
      )}
    </Section>
  );
}

function BudgetCard({ current }: { readonly current: AccountBudget }) {
  const queries = useQueryClient();
  const mayChange = usePermission("billing.change");
  const onSuccess = (title: string) => (changed: AccountBudget) => {
    queries.setQueryData(budgetQuery.queryKey, changed);
    toast({ tone: "positive", title });
  };
  const form = useApiForm({
    values: { limit: current.budget?.limit as number | undefined, period: current.budget?.period ?? "month" },
    send: ({ limit = 0, period }) => api.call("PUT /v1/billing/budget", { body: { limit, period } }),
    onSent: onSuccess(TEXTS.saved),
  });
  const remove = useMutation({
    mutationFn: () => api.call("DELETE /v1/billing/budget"),
    onSuccess: onSuccess(TEXTS.removed),
  });
  const fault = errorBeside(remove.error, []);
  return (
    <Card className="min-h-72">
      <Form form={form}>
        <BudgetUse current={current} />
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberField
            form={form}
            name="limit"
            label={TEXTS.limit}
            check={(limit) => (limit === undefined || limit < 0 ? TEXTS.wrong : undefined)}
            disabled={!mayChange}
            suffix={TEXTS.credits}
            inputClassName="pr-18"
          />
          <FormField form={form} name="period" label={TEXTS.period}>
            {(field) => (
              <NativeSelect {...field} disabled={!mayChange}>
                {PERIODS.map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </NativeSelect>
            )}
          </FormField>
        </div>
        <p className="text-sm text-muted">
          {TEXTS.limitHint} <Thresholds />
        </p>
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
        {mayChange && (
          <div className="flex flex-wrap gap-2">
            <Button type="submit" loading={form.isSending}>
              {TEXTS.save}
            </Button>
            {current.budget !== null && (
              <Button variant="ghost" loading={remove.isPending} onClick={() => remove.mutate()}>
                {TEXTS.remove}
              </Button>
            )}
          </div>
        )}
      </Form>
    </Card>
  );
}

function BudgetUse({ current: { budget, spent, left, period_end: endsAt } }: { readonly current: AccountBudget }) {
  if (budget === null) return <p className="text-muted">{TEXTS.none}</p>;
  const used = spent ?? 0;
  return (
    <div className="grid gap-2">
      <Progress
        label={TEXTS.spentLabel}
        value={used}
        max={budget.limit}
        tone={left === 0 ? "danger" : used >= budget.limit * 0.8 ? "warning" : "accent"}
        text={
          <Sentence
            text={TEXTS.spent}
            parts={{ spent: <Money credits={used} />, limit: <Money credits={budget.limit} /> }}
          />
        }
      />
      {left === 0 && <Banner tone="danger">{TEXTS.over}</Banner>}
      {endsAt !== null && (
        <p className="text-sm text-muted">
          <Sentence text={TEXTS.resets} parts={{ time: <Time at={endsAt} form="date-time" /> }} />
        </p>
      )}
    </div>
  );
}

/** At which parts of a budget there are alerts. */
function Thresholds() {
  const { data } = useQuery(alertsQuery);
  if (data === undefined) return null;
  const shares = data.budget_thresholds.map((share) => formatPercent(share)).join(", ");
  return <>{shares === "" ? TEXTS.noAlerts : TEXTS.alerts(shares)}</>;
}
