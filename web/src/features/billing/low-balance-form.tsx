import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney, formatPercent } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { toast } from "../../ui/toast.tsx";
import { alertsQuery } from "./queries.ts";

/** The threshold of the low-balance alert. */
export function LowBalanceForm() {
  const { data, error, refetch } = useQuery(alertsQuery);
  return (
    <Section title="Low-balance alert" description="Before the credits run out, your webhooks hear of it.">
      {data !== undefined ? (
        <AlertForm key={String(data.low_balance)} alerts={data} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={1} label="The alert is loading" />
      )}
    </Section>
  );
}

function AlertForm({ alerts }: { readonly alerts: AnswerOf<"GET /v1/billing/alerts"> }) {
  const queries = useQueryClient();
  const mayChange = usePermission("billing.change");
  const [text, setText] = useState(alerts.low_balance === null ? "" : String(alerts.low_balance));
  const [mistake, setMistake] = useState<string>();
  const save = useMutation({
    mutationFn: (low: number | null) => api.call("PATCH /v1/billing/alerts", { body: { low_balance: low } }),
    onSuccess: (changed) => {
      queries.setQueryData(alertsQuery.queryKey, changed);
      toast({
        title: changed.low_balance === null ? "The alert is off" : "The alert is set",
        ...(changed.low_balance === null ? {} : { description: `Below ${formatMoney(changed.low_balance)}` }),
      });
    },
    onError: (error) => setMistake(error instanceof ApiError ? error.message : "This could not be saved. Try again."),
  });

  function send(event: FormEvent) {
    event.preventDefault();
    const trimmed = text.trim().replace(",", ".");
    const low = Number(trimmed);
    if (trimmed !== "" && !(low > 0 && low <= 1_000_000_000))
      return setMistake("This must be a number of credits above 0, or empty for no alert.");
    setMistake(undefined);
    save.mutate(trimmed === "" ? null : low);
  }

  return (
    <Card>
      <form onSubmit={send} noValidate className="grid gap-4">
        <Field label="Alert when the balance falls below" hint="Leave it empty for no alert." error={mistake}>
          <Input
            inputMode="decimal"
            autoComplete="off"
            value={text}
            disabled={!mayChange}
            suffix="credits"
            className="pr-18"
            onChange={(event) => {
              setText(event.target.value);
              setMistake(undefined);
            }}
          />
        </Field>
        <p className="text-sm text-muted">
          {alerts.budget_thresholds.length === 0
            ? "Budgets of keys are not told of."
            : `Budgets of keys are told of at ${alerts.budget_thresholds.map((share) => formatPercent(share)).join(", ")}.`}{" "}
          Where alerts go is set under{" "}
          <Link to="/settings/webhooks" className={TEXT_LINK}>
            webhooks
          </Link>
          .
        </p>
        <Button type="submit" loading={save.isPending} disabled={!mayChange} className="justify-self-start">
          Save the alert
        </Button>
      </form>
    </Card>
  );
}
