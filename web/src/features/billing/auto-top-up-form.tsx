import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, FormValue, NumberField } from "../../ui/form.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { autoTopUpQuery } from "./queries.ts";

const TEXTS = texts.billing.autoTopUpForm;

type AutoTopUp = AnswerOf<"GET /v1/billing/auto-top-up">;

/** Buys credits with the saved card when the balance is low. */
export function AutoTopUpForm() {
  const { data, error, refetch } = useQuery(autoTopUpQuery);
  return (
    <Section title={TEXTS.automaticTopUps} description={TEXTS.creditsAreBoughtWith}>
      {data !== undefined ? (
        <Card>{data.card === null ? <NoCard /> : <TermsForm topUp={data} card={data.card} />}</Card>
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={3} label={TEXTS.automaticTopUpsAre} />
      )}
    </Section>
  );
}

function NoCard() {
  return <p className="text-muted">{TEXTS.payByCardOnce}</p>;
}

function TermsForm({ topUp, card }: { readonly topUp: AutoTopUp; readonly card: NonNullable<AutoTopUp["card"]> }) {
  const queries = useQueryClient();
  const mayChange = usePermission("billing.change");
  const form = useApiForm({
    values: {
      enabled: topUp.enabled,
      threshold: (topUp.threshold ?? 5) as number | undefined,
      amount: (topUp.amount ?? 25) as number | undefined,
      monthly_ceiling: (topUp.monthly_ceiling ?? 100) as number | undefined,
    },
    send: ({ enabled, threshold = 0, amount = 0, monthly_ceiling = 0 }) =>
      api.call("PUT /v1/billing/auto-top-up", { body: { enabled, threshold, amount, monthly_ceiling } }),
    onSent: (changed) => {
      queries.setQueryData(autoTopUpQuery.queryKey, changed);
      toast({ title: changed.enabled ? TEXTS.automaticTopUpsAre2 : TEXTS.automaticTopUpsAre3 });
    },
  });
  const forget = useMutation({
    mutationFn: () => api.call("DELETE /v1/billing/card"),
    onSuccess: () => queries.invalidateQueries({ queryKey: autoTopUpQuery.queryKey }),
  });
  const fields = [
    { label: TEXTS.belowABalanceOf, name: "threshold" },
    { label: TEXTS.buy, name: "amount" },
    { label: TEXTS.atMostInA, name: "monthly_ceiling" },
  ] as const;
  return (
    <Form form={form}>
      {topUp.stopped_reason !== null && (
        <Banner tone="warning" title={TEXTS.stoppedAfterAPayment}>
          {topUp.stopped_reason}
        </Banner>
      )}
      <FormValue form={form} name="enabled">
        {({ value, onChange }) => (
          <Switch label={TEXTS.topUpAutomatically} checked={value} disabled={!mayChange} onCheckedChange={onChange} />
        )}
      </FormValue>
      <div className="grid gap-4 sm:grid-cols-3">
        {fields.map(({ label, name }) => (
          <NumberField
            key={name}
            form={form}
            name={name}
            label={label}
            required
            disabled={!mayChange}
            suffix={TEXTS.credits}
          />
        ))}
      </div>
      <p className="text-sm text-muted">
        <Sentence
          text={TEXTS.endingInBoughtAutomatically}
          parts={{
            span: <span className="capitalize">{card.brand}</span>,
            last4: card.last4,
            boughtThisMonth: formatMoney(topUp.bought_this_month),
          }}
        />
      </p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" loading={form.isSending} disabled={!mayChange}>
          {TEXTS.save}
        </Button>
        <Button variant="ghost" loading={forget.isPending} disabled={!mayChange} onClick={() => forget.mutate()}>
          {TEXTS.removeTheCard}
        </Button>
      </div>
    </Form>
  );
}
