import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
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
  const [enabled, setEnabled] = useState(topUp.enabled);
  const [threshold, setThreshold] = useState(String(topUp.threshold ?? 5));
  const [amount, setAmount] = useState(String(topUp.amount ?? 25));
  const [ceiling, setCeiling] = useState(String(topUp.monthly_ceiling ?? 100));
  const save = useMutation({
    mutationFn: () =>
      api.call("PUT /v1/billing/auto-top-up", {
        body: {
          enabled,
          threshold: Number(threshold),
          amount: Number(amount),
          monthly_ceiling: Number(ceiling),
        },
      }),
    onSuccess: (changed) => {
      queries.setQueryData(autoTopUpQuery.queryKey, changed);
      toast({ title: changed.enabled ? TEXTS.automaticTopUpsAre2 : TEXTS.automaticTopUpsAre3 });
    },
  });
  const forget = useMutation({
    mutationFn: () => api.call("DELETE /v1/billing/card"),
    onSuccess: () => queries.invalidateQueries({ queryKey: autoTopUpQuery.queryKey }),
  });
  const refused = save.error instanceof ApiError ? save.error : undefined;
  const mistakeOf = (field: string) => (refused?.param === field ? refused.message : undefined);

  function send(event: FormEvent) {
    event.preventDefault();
    save.mutate();
  }

  const fields = [
    { label: TEXTS.belowABalanceOf, field: "threshold", value: threshold, set: setThreshold },
    { label: TEXTS.buy, field: "amount", value: amount, set: setAmount },
    { label: TEXTS.atMostInA, field: "monthly_ceiling", value: ceiling, set: setCeiling },
  ];
  return (
    <form onSubmit={send} noValidate className="grid gap-4">
      {topUp.stopped_reason !== null && (
        <Banner tone="warning" title={TEXTS.stoppedAfterAPayment}>
          {topUp.stopped_reason}
        </Banner>
      )}
      <Switch label={TEXTS.topUpAutomatically} checked={enabled} disabled={!mayChange} onCheckedChange={setEnabled} />
      <div className="grid gap-4 sm:grid-cols-3">
        {fields.map(({ label, field, value, set }) => (
          <Field key={field} label={label} error={mistakeOf(field)}>
            <Input
              inputMode="decimal"
              value={value}
              disabled={!mayChange}
              suffix={TEXTS.credits}
              onChange={(event) => set(event.target.value)}
            />
          </Field>
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
      {save.isError && refused?.param === undefined && (
        <Banner tone="danger">{refused?.message ?? TEXTS.thisCouldNotBe}</Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" loading={save.isPending} disabled={!mayChange}>
          {TEXTS.save}
        </Button>
        <Button variant="ghost" loading={forget.isPending} disabled={!mayChange} onClick={() => forget.mutate()}>
          {TEXTS.removeTheCard}
        </Button>
      </div>
    </form>
  );
}
