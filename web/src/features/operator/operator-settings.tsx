import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, FormField, FormValue, NumberField } from "../../ui/form.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { toast } from "../../ui/toast.tsx";
import { MailSettings } from "./mail-settings.tsx";

const TEXTS = texts.operator.settings;
const PUBLIC = texts.publicPages.settings;

type Settings = AnswerOf<"GET /v1/admin/settings">;

const KEY = ["operator", "settings"];

const SIGN_UP = [
  { value: "open", label: TEXTS.anyone, description: TEXTS.whoeverHasAnE },
  { value: "invited", label: TEXTS.byInvitation, description: TEXTS.membersInviteStrangersAre },
  { value: "closed", label: TEXTS.nobody, description: TEXTS.onlyYouOpenAccounts },
] as const;

const STRATEGIES = [
  { value: "cost-optimized", label: TEXTS.cost },
  { value: "speed-optimized", label: TEXTS.speed },
  { value: "quality-optimized", label: TEXTS.quality },
  { value: "hybrid", label: TEXTS.hybrid },
] as const;

const LEARNING = [
  {
    value: "on",
    label: TEXTS.on,
    description: TEXTS.outcomesChangeWhatIs,
  },
  {
    value: "frozen",
    label: TEXTS.frozen,
    description: TEXTS.forEveryoneNothingIs,
  },
] as const;

/** The tab Settings: what holds for the whole service. */
export function OperatorSettings() {
  useDocumentTitle(TEXTS.settingsOfTheService);
  const settings = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /v1/admin/settings", { signal }),
  });
  if (settings.isPending) return <SkeletonRows label={TEXTS.theSettingsAreLoading} />;
  if (settings.isError) return <ErrorState error={settings.error} onRetry={settings.refetch} />;
  return (
    <div className="grid gap-8">
      <SettingsForm settings={settings.data} />
      <MailSettings />
    </div>
  );
}

function SettingsForm({ settings }: { readonly settings: Settings }) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: { ...settings, welcome_credits: settings.welcome_credits as number | undefined },
    send: (draft) =>
      api.call("PATCH /v1/admin/settings", { body: { ...draft, welcome_credits: draft.welcome_credits ?? 0 } }),
    onSent: (saved) => {
      queries.setQueryData(KEY, saved);
      void queries.invalidateQueries({ queryKey: ["session"] });
      toast({ tone: "positive", title: TEXTS.saved, description: TEXTS.itHoldsOnEvery });
    },
  });
  return (
    <Form form={form} className="max-w-2xl gap-6">
      <FormValue form={form} name="sign_up">
        {({ value, onChange }) => (
          <RadioGroup label={TEXTS.whoMayOpenAn} value={value} onValueChange={onChange} options={SIGN_UP} columns={3} />
        )}
      </FormValue>
      <div className="grid gap-6 sm:grid-cols-2">
        <NumberField
          form={form}
          name="welcome_credits"
          label={TEXTS.creditsForANew}
          hint={TEXTS.givenOnceWhenSomebody}
          suffix={TEXTS.credits}
        />
        <FormField form={form} name="strategy" label={TEXTS.routingStrategy} hint={TEXTS.forOrganisationsThatHave}>
          {({ value, onChange }) => <Select value={value} onValueChange={onChange} options={STRATEGIES} />}
        </FormField>
      </div>
      <FormValue form={form} name="routing_learning">
        {({ value, onChange }) => (
          <RadioGroup
            label={TEXTS.routingLearnsFromOutcomes}
            value={value}
            onValueChange={onChange}
            options={LEARNING}
            columns={2}
          />
        )}
      </FormValue>
      <FormField form={form} name="announcement" label={TEXTS.announcement} optional hint={TEXTS.shownAtTheTop}>
        {(field) => <Textarea {...field} rows={2} maxLength={500} />}
      </FormField>
      <fieldset className="grid gap-4">
        <legend className="mb-2 text-sm font-medium">{PUBLIC.title}</legend>
        <FormValue form={form} name="public_models">
          {({ value, onChange }) => (
            <Switch label={PUBLIC.models} description={PUBLIC.modelsText} checked={value} onCheckedChange={onChange} />
          )}
        </FormValue>
        <FormValue form={form} name="public_status">
          {({ value, onChange }) => (
            <Switch label={PUBLIC.status} description={PUBLIC.statusText} checked={value} onCheckedChange={onChange} />
          )}
        </FormValue>
      </fieldset>
      <div>
        <Button type="submit" variant="primary" loading={form.isSending}>
          {TEXTS.save}
        </Button>
      </div>
    </Form>
  );
}
