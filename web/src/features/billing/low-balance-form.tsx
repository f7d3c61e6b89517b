import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, NumberField } from "../../ui/form.tsx";
import { formatMoney, formatPercent } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { toast } from "../../ui/toast.tsx";
import { alertsQuery } from "./queries.ts";

const TEXTS = texts.billing.lowBalanceForm;
const EMAIL = texts.credits.email;

const MOST = 1_000_000_000;

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
  const form = useApiForm({
    values: { low_balance: (alerts.low_balance ?? undefined) as number | undefined },
    send: ({ low_balance: low = null }) => api.call("PATCH /v1/billing/alerts", { body: { low_balance: low } }),
    onSent: (changed) => {
      queries.setQueryData(alertsQuery.queryKey, changed);
      toast({
        title: changed.low_balance === null ? TEXTS.theAlertIsOff : TEXTS.theAlertIsSet,
        ...(changed.low_balance === null ? {} : { description: TEXTS.below(formatMoney(changed.low_balance)) }),
      });
    },
  });
  return (
    <Card>
      <Form form={form}>
        <NumberField
          form={form}
          name="low_balance"
          label={TEXTS.alertWhenTheBalance}
          hint={TEXTS.leaveItEmptyFor}
          check={(low) => (low !== undefined && !(low > 0 && low <= MOST) ? TEXTS.thisMustBeA : undefined)}
          disabled={!mayChange}
          suffix={TEXTS.credits}
          inputClassName="pr-18"
        />
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
        <Button type="submit" loading={form.isSending} disabled={!mayChange} className="justify-self-start">
          {TEXTS.saveTheAlert}
        </Button>
        <EmailSwitch alerts={alerts} mayChange={mayChange} />
      </Form>
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
