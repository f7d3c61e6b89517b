import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
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
import { Switch } from "../../ui/switch.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { toast } from "../../ui/toast.tsx";
import { alertsQuery } from "./queries.ts";

const TEXTS = texts.billing.lowBalanceForm;
const EMAIL = texts.credits.email;

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

type Alerts = AnswerOf<"GET /v1/billing/alerts">;

function AlertForm({ alerts }: { readonly alerts: Alerts }) {
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
        <EmailSwitch alerts={alerts} mayChange={mayChange} />
      </form>
    </Card>
  );
}

/** Whether alerts go out by e-mail as well. It is saved at once. */
function EmailSwitch({ alerts, mayChange }: { readonly alerts: Alerts; readonly mayChange: boolean }) {
  const queries = useQueryClient();
  const { features } = useSession();
  const save = useMutation({
    mutationFn: (email: boolean) => api.call("PATCH /v1/billing/alerts", { body: { email } }),
    onSuccess: (changed) => {
      queries.setQueryData(alertsQuery.queryKey, changed);
      toast({ title: changed.email ? EMAIL.on : EMAIL.off });
    },
    onError: (error) => toast({ tone: "danger", title: error.message }),
  });
  return (
    <Switch
      className="border-t border-line pt-4"
      label={EMAIL.label}
      description={features.mail ? EMAIL.text : EMAIL.noMail}
      checked={alerts.email && features.mail}
      disabled={!mayChange || !features.mail || save.isPending}
      onCheckedChange={(isOn) => save.mutate(isOn)}
    />
  );
}
