import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
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
  const [draft, setDraft] = useState(settings);
  const [welcome, setWelcome] = useState<number | undefined>(settings.welcome_credits);
  const save = useMutation({
    mutationFn: () => api.call("PATCH /v1/admin/settings", { body: { ...draft, welcome_credits: welcome ?? 0 } }),
    onSuccess: (saved) => {
      queries.setQueryData(KEY, saved);
      void queries.invalidateQueries({ queryKey: ["session"] });
      toast({ tone: "positive", title: TEXTS.saved, description: TEXTS.itHoldsOnEvery });
    },
  });
  const wrong = save.error instanceof ApiError ? save.error.param : undefined;
  const errorAt = (field: string) => (wrong === field ? save.error?.message : undefined);
  return (
    <form
      className="grid max-w-2xl gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <RadioGroup
        label={TEXTS.whoMayOpenAn}
        value={draft.sign_up}
        onValueChange={(value) => setDraft({ ...draft, sign_up: value })}
        options={SIGN_UP}
        columns={3}
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <Field label={TEXTS.creditsForANew} hint={TEXTS.givenOnceWhenSomebody} error={errorAt("welcome_credits")}>
          <NumberInput value={welcome} onValueChange={setWelcome} suffix={TEXTS.credits} />
        </Field>
        <Field label={TEXTS.routingStrategy} hint={TEXTS.forOrganisationsThatHave}>
          <Select
            value={draft.strategy}
            onValueChange={(value) => setDraft({ ...draft, strategy: value })}
            options={STRATEGIES}
          />
        </Field>
      </div>
      <RadioGroup
        label={TEXTS.routingLearnsFromOutcomes}
        value={draft.routing_learning}
        onValueChange={(value) => setDraft({ ...draft, routing_learning: value })}
        options={LEARNING}
        columns={2}
      />
      <Field label={TEXTS.announcement} optional hint={TEXTS.shownAtTheTop} error={errorAt("announcement")}>
        <Textarea
          rows={2}
          maxLength={500}
          value={draft.announcement}
          onChange={(event) => setDraft({ ...draft, announcement: event.target.value })}
        />
      </Field>
      <fieldset className="grid gap-4">
        <legend className="mb-2 text-sm font-medium">{PUBLIC.title}</legend>
        <Switch
          label={PUBLIC.models}
          description={PUBLIC.modelsText}
          checked={draft.public_models}
          onCheckedChange={(isOn) => setDraft({ ...draft, public_models: isOn })}
        />
        <Switch
          label={PUBLIC.status}
          description={PUBLIC.statusText}
          checked={draft.public_status}
          onCheckedChange={(isOn) => setDraft({ ...draft, public_status: isOn })}
        />
      </fieldset>
      {save.isError && wrong === undefined && <ErrorState error={save.error} title={TEXTS.thisWasNotSaved} />}
      <div>
        <Button type="submit" variant="primary" loading={save.isPending}>
          {TEXTS.save}
        </Button>
      </div>
    </form>
  );
}
