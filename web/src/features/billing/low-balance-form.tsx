import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.billing.lowBalanceForm;

/** The threshold of the low-balance alert. */
export function LowBalanceForm() {
  const { data, error, refetch } = useQuery(alertsQuery);
  return (
    <Section title={TEXTS.lowBalanceAlert} description={TEXTS.beforeTheCreditsRun}>
      {data !== undefined ? (
        <AlertForm key={String(data.low_balance)} alerts={data} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={1} label={TEXTS.theAlertIsLoading} />
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
        title: changed.low_balance === null ? TEXTS.theAlertIsOff : TEXTS.theAlertIsSet,
        ...(changed.low_balance === null ? {} : { description: TEXTS.below(formatMoney(changed.low_balance)) }),
      });
    },
    onError: (error) => setMistake(error instanceof ApiError ? error.message : TEXTS.thisCouldNotBe),
  });

  function send(event: FormEvent) {
    event.preventDefault();
    const trimmed = text.trim().replace(",", ".");
    const low = Number(trimmed);
    if (trimmed !== "" && !(low > 0 && low <= 1_000_000_000)) return setMistake(TEXTS.thisMustBeA);
    setMistake(undefined);
    save.mutate(trimmed === "" ? null : low);
  }

  return (
    <Card>
      <form onSubmit={send} noValidate className="grid gap-4">
        <Field label={TEXTS.alertWhenTheBalance} hint={TEXTS.leaveItEmptyFor} error={mistake}>
          <Input
            inputMode="decimal"
            autoComplete="off"
            value={text}
            disabled={!mayChange}
            suffix={TEXTS.credits}
            className="pr-18"
            onChange={(event) => {
              setText(event.target.value);
              setMistake(undefined);
            }}
          />
        </Field>
        <p className="text-sm text-muted">
          <Sentence
            text={TEXTS.whereAlertsGoIs}
            parts={{
              value:
                alerts.budget_thresholds.length === 0
                  ? TEXTS.budgetsOfKeysAre
                  : TEXTS.budgetsOfKeysAre2(alerts.budget_thresholds.map((share) => formatPercent(share)).join(", ")),
              link: (
                <Link to="/settings/webhooks" className={TEXT_LINK}>
                  {TEXTS.webhooks}
                </Link>
              ),
            }}
          />
        </p>
        <Button type="submit" loading={save.isPending} disabled={!mayChange} className="justify-self-start">
          {TEXTS.saveTheAlert}
        </Button>
      </form>
    </Card>
  );
}
