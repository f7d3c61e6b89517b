import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { draftOf, errorsOf, hasErrors, rulesOf } from "../../shared/safety-draft.ts";
import { RulesForm } from "../../shared/safety-rules-form.tsx";
import { SafetyTrial } from "../../shared/safety-trial.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";

type Policy = AnswerOf<"GET /v1/admin/safety">;

const KEY = ["operator", "safety"];

/** The tab Safety: the policy for every request, and a place to try it. */
export function OperatorSafety() {
  useDocumentTitle("Safety policy");
  const policy = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /v1/admin/safety", { signal }),
  });
  if (policy.isPending) return <SkeletonRows label="The safety policy is loading" rows={8} />;
  if (policy.isError) return <ErrorState error={policy.error} onRetry={policy.refetch} />;
  return (
    <div className="grid gap-8">
      <PolicyForm key={JSON.stringify(policy.data)} policy={policy.data} />
      <SafetyTrial />
    </div>
  );
}

function PolicyForm({ policy }: { readonly policy: Policy }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(policy));
  const [locked, setLocked] = useState(policy.locked);
  const [isTried, setIsTried] = useState(false);
  const errors = errorsOf(draft);
  const done = (title: string) => (saved: Policy) => {
    queries.setQueryData(KEY, saved);
    toast({ tone: "positive", title, description: "It holds on every instance." });
  };
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/admin/safety", { body: { ...rulesOf(draft), locked } }),
    onSuccess: done("The policy is set"),
  });
  const reset = useMutation({
    mutationFn: () => api.call("DELETE /v1/admin/safety"),
    onSuccess: done("Back to the configuration"),
  });
  return (
    <form
      className="grid gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (!hasErrors(errors)) save.mutate();
      }}
    >
      <Banner title={policy.source === "dashboard" ? "Set here" : "As the configuration says"}>
        {policy.source === "dashboard"
          ? "This goes before the configuration file, on every instance."
          : "What you save here goes before the configuration file."}
      </Banner>
      <Card>
        <Switch
          label="Lock the policy"
          description="Accounts and keys can only be stricter. Their allow-lists and dry runs do not count."
          checked={locked}
          onCheckedChange={setLocked}
        />
      </Card>
      <RulesForm
        draft={draft}
        errors={isTried ? errors : errorsOf(draftOf(policy))}
        effective={policy.effective}
        below="the configuration"
        disabled={false}
        onChange={setDraft}
      />
      {(save.isError || reset.isError) && (
        <ErrorState error={save.error ?? reset.error} title="This was not saved" />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" loading={save.isPending}>
          Save the policy
        </Button>
        {policy.source === "dashboard" && (
          <Button loading={reset.isPending} onClick={() => reset.mutate()}>
            Back to the configuration
          </Button>
        )}
        {isTried && hasErrors(errors) && <p className="text-danger">Something above is not right yet.</p>}
      </div>
    </form>
  );
}
