import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { SafetyTrial } from "./safety-trial.tsx";

type Policy = AnswerOf<"GET /v1/admin/safety">;
type Draft = BodyOf<"PUT /v1/admin/safety">;
type Category = keyof Policy["effective"];

const KEY = ["operator", "safety"];

const PRESETS = [
  { value: "balanced", label: "Balanced", description: "Refuses plain attacks, reports the doubtful." },
  { value: "strict", label: "Strict", description: "For services open to anyone: refuses more, errs more." },
  { value: "off", label: "Off", description: "You moderate elsewhere. Child abuse stays refused." },
] as const;

const NAMES: Readonly<Record<string, string>> = {
  injection: "Injection",
  jailbreak: "Jailbreak",
  unsafe_intent: "Unsafe intent",
  hate: "Hate",
  harassment: "Harassment",
  sexual: "Sexual",
  sexual_minors: "Sexual, minors",
  violence: "Violence",
  self_harm: "Self-harm",
  illicit: "Illicit",
  pii: "Personal data",
  secret: "Secrets",
};

/** What has values that can be taken out. */
const REDACTABLE: ReadonlySet<string> = new Set(["pii", "secret"]);

/** The tab Safety: the policy for every request, and a place to try it. */
export function OperatorSafety() {
  useDocumentTitle("Safety policy");
  const policy = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /v1/admin/safety", { signal }),
  });
  if (policy.isPending) return <SkeletonRows label="The safety policy is loading" rows={8} />;
  if (policy.isError) return <ErrorState error={policy.error} onRetry={policy.refetch} />;
  return <PolicyForm key={JSON.stringify(policy.data)} policy={policy.data} />;
}

function PolicyForm({ policy }: { readonly policy: Policy }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ preset: policy.preset, categories: policy.categories });
  const done = (title: string) => (saved: Policy) => {
    queries.setQueryData(KEY, saved);
    toast({ tone: "positive", title, description: "It holds on every instance." });
  };
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/admin/safety", { body: draft }),
    onSuccess: done("The policy is set"),
  });
  const reset = useMutation({
    mutationFn: () => api.call("DELETE /v1/admin/safety"),
    onSuccess: done("Back to the configuration"),
  });
  const choose = (category: Category, choice: string) => {
    const { [category]: _, ...others } = draft.categories ?? {};
    const isAction = choice === "refuse" || choice === "redact" || choice === "report" || choice === "allow";
    setDraft({ ...draft, categories: isAction ? { ...others, [category]: choice } : others });
  };
  const rows = Object.entries(policy.effective).map(([category, marks]) => ({ category, ...marks }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { id: "category", header: "Category", cell: ({ category }) => NAMES[category] ?? category },
    {
      id: "now",
      header: "Now",
      cell: ({ report_at: report, redact_at: redact, refuse_at: refuse }) => (
        <span className="flex flex-wrap gap-1.5">
          {report !== null && <Badge tone="warning">reports from {report}</Badge>}
          {redact !== null && <Badge tone="warning">redacts from {redact}</Badge>}
          {refuse !== null && <Badge tone="danger">refuses from {refuse}</Badge>}
          {report === null && redact === null && refuse === null && <Badge>allowed</Badge>}
        </span>
      ),
    },
    {
      id: "choice",
      header: "Shall be",
      cell: ({ category }) => {
        const own = draft.categories?.[category as keyof typeof draft.categories];
        return (
          <NativeSelect
            aria-label={`What to do about ${NAMES[category] ?? category}`}
            value={typeof own === "string" ? own : own === undefined ? "preset" : "scores"}
            onChange={(event) => choose(category, event.target.value)}
          >
            <option value="preset">As the preset says</option>
            <option value="refuse">Refuse</option>
            {REDACTABLE.has(category) && <option value="redact">Redact</option>}
            {category !== "sexual_minors" && <option value="report">Report</option>}
            {category !== "sexual_minors" && <option value="allow">Allow</option>}
            {typeof own === "object" && <option value="scores">By scores of your own</option>}
          </NativeSelect>
        );
      },
    },
  ];
  return (
    <div className="grid gap-8">
      <Banner title={policy.source === "dashboard" ? "Set here" : "As the configuration says"}>
        {policy.source === "dashboard"
          ? "This goes before the configuration file, on every instance."
          : "What you save here goes before the configuration file."}
      </Banner>
      <form
        className="grid gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <RadioGroup
          label="Preset"
          value={draft.preset}
          onValueChange={(preset) => setDraft({ ...draft, preset })}
          options={PRESETS}
          columns={3}
        />
        <Section
          title="Categories"
          description="Scores are between 0 and 1, and stand in each request's record."
        >
          <Table
            label="Safety categories"
            columns={columns}
            rows={rows}
            rowKey={({ category }) => category}
          />
        </Section>
        {(save.isError || reset.isError) && (
          <ErrorState error={save.error ?? reset.error} title="This was not saved" />
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" loading={save.isPending}>
            Save the policy
          </Button>
          {policy.source === "dashboard" && (
            <Button loading={reset.isPending} onClick={() => reset.mutate()}>
              Back to the configuration
            </Button>
          )}
        </div>
      </form>
      <SafetyTrial />
    </div>
  );
}
