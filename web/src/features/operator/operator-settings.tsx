import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { toast } from "../../ui/toast.tsx";

import { MailSettings } from "./mail-settings.tsx";

type Settings = AnswerOf<"GET /v1/admin/settings">;

const KEY = ["operator", "settings"];

const SIGN_UP = [
  { value: "open", label: "Anyone", description: "Whoever has an e-mail address may open an account." },
  { value: "invited", label: "By invitation", description: "Members invite; strangers are turned away." },
  { value: "closed", label: "Nobody", description: "Only you open accounts." },
] as const;

const STRATEGIES = [
  { value: "cost-optimized", label: "Cost" },
  { value: "speed-optimized", label: "Speed" },
  { value: "quality-optimized", label: "Quality" },
  { value: "hybrid", label: "Hybrid" },
] as const;

const LEARNING = [
  {
    value: "on",
    label: "On",
    description: "Outcomes change what is predicted, unless an organisation froze it.",
  },
  {
    value: "frozen",
    label: "Frozen",
    description: "For everyone: nothing is learnt and no model is tried out. What was learnt still counts.",
  },
] as const;

/** The tab Settings: what holds for the whole service. */
export function OperatorSettings() {
  useDocumentTitle("Settings of the service");
  const settings = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /v1/admin/settings", { signal }),
  });
  if (settings.isPending) return <SkeletonRows label="The settings are loading" />;
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
      toast({ tone: "positive", title: "Saved", description: "It holds on every instance." });
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
        label="Who may open an account"
        value={draft.sign_up}
        onValueChange={(value) => setDraft({ ...draft, sign_up: value })}
        options={SIGN_UP}
        columns={3}
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <Field
          label="Credits for a new organisation"
          hint="Given once, when somebody signs up."
          error={errorAt("welcome_credits")}
        >
          <NumberInput value={welcome} onValueChange={setWelcome} suffix="credits" />
        </Field>
        <Field label="Routing strategy" hint="For organisations that have chosen none.">
          <Select
            value={draft.strategy}
            onValueChange={(value) => setDraft({ ...draft, strategy: value })}
            options={STRATEGIES}
          />
        </Field>
      </div>
      <RadioGroup
        label="Routing learns from outcomes"
        value={draft.routing_learning}
        onValueChange={(value) => setDraft({ ...draft, routing_learning: value })}
        options={LEARNING}
        columns={2}
      />
      <Field
        label="Announcement"
        optional
        hint="Shown at the top of everyone's dashboard."
        error={errorAt("announcement")}
      >
        <Textarea
          rows={2}
          maxLength={500}
          value={draft.announcement}
          onChange={(event) => setDraft({ ...draft, announcement: event.target.value })}
        />
      </Field>
      {save.isError && wrong === undefined && <ErrorState error={save.error} title="This was not saved" />}
      <div>
        <Button type="submit" variant="primary" loading={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
