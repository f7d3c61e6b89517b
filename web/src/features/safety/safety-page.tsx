import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePower } from "../../api/session.ts";
import { draftOf, errorsOf, hasErrors, rulesOf } from "../../shared/safety-draft.ts";
import { RulesForm } from "../../shared/safety-rules-form.tsx";
import { SafetyTrial } from "../../shared/safety-trial.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";

type Policy = AnswerOf<"GET /v1/safety/policy">;

const policyQuery = queryOptions({
  queryKey: ["safety-policy"],
  queryFn: ({ signal }) => api.call("GET /v1/safety/policy", { signal }),
});

/** What is done about unsafe inputs and answers of the organisation's requests. */
export function SafetyPage() {
  const policy = useQuery(policyQuery);
  const mayTry = usePower("safety.check");
  return (
    <Page
      title="Safety"
      description="What is reported, redacted and refused, in what your users send and in what models answer. A key may have rules of its own."
    >
      {policy.isPending && <SkeletonRows rows={8} label="The safety policy is loading" />}
      {policy.isError && <ErrorState error={policy.error} onRetry={() => policy.refetch()} />}
      {policy.isSuccess && (
        // What somebody else saved meanwhile replaces what is shown.
        <PolicyForm key={JSON.stringify(policy.data)} policy={policy.data} />
      )}
      {mayTry && <SafetyTrial />}
    </Page>
  );
}

function PolicyForm({ policy }: { readonly policy: Policy }) {
  const mayChange = usePower("safety.change");
  const queries = useQueryClient();
  const saved = draftOf(policy.rules);
  const [draft, setDraft] = useState(saved);
  const [isTried, setIsTried] = useState(false);
  const errors = errorsOf(draft);
  const isDirty = JSON.stringify(rulesOf(draft)) !== JSON.stringify(rulesOf(saved));
  const done = (title: string) => (now: Policy) => {
    queries.setQueryData(policyQuery.queryKey, now);
    toast({ tone: "positive", title, description: "It holds for new requests." });
  };
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/safety/policy", { body: rulesOf(draft) }),
    onSuccess: done("The safety policy is saved"),
  });
  const reset = useMutation({
    mutationFn: () => api.call("DELETE /v1/safety/policy"),
    onSuccess: done("The service's policy holds again"),
  });
  return (
    <form
      className="grid gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (!hasErrors(errors) && mayChange) save.mutate();
      }}
    >
      <UnsavedGuard when={isDirty} />
      {!mayChange && (
        <Banner>You may look at the safety policy. To change it, ask an owner, admin or developer.</Banner>
      )}
      {policy.locked && (
        <Banner tone="warning" title="The operator has locked the service's policy">
          Yours can only be stricter. Allow-lists and dry runs do not count.
        </Banner>
      )}
      {policy.dry_run && (
        <Banner tone="warning" title="Dry run">
          Everything is judged and recorded. Nothing is refused or redacted but the sexual abuse of children.
        </Banner>
      )}
      <RulesForm
        draft={draft}
        errors={isTried ? errors : errorsOf(saved)}
        effective={policy.effective}
        below="the service"
        disabled={!mayChange}
        onChange={setDraft}
      />
      {(save.isError || reset.isError) && (
        <ErrorState error={save.error ?? reset.error} title="This was not saved" />
      )}
      {mayChange && (
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" loading={save.isPending} disabled={!isDirty}>
            Save the policy
          </Button>
          {policy.source === "account" && (
            <Button loading={reset.isPending} onClick={() => reset.mutate()}>
              Back to the service's policy
            </Button>
          )}
          {isTried && hasErrors(errors) && <p className="text-danger">Something above is not right yet.</p>}
        </div>
      )}
    </form>
  );
}
