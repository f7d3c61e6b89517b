import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { policyQuery } from "../../shared/safety-policy.ts";
import { PolicyForm } from "../../shared/safety-policy-form.tsx";
import { SafetyTrial } from "../../shared/safety-trial.tsx";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";

type Policy = AnswerOf<"GET /v1/safety/policy">;

/** What is done about unsafe inputs and answers of the organisation's requests. */
export function SafetyPage() {
  const policy = useQuery(policyQuery);
  const mayTry = usePermission("safety.check");
  return (
    <Page
      title="Safety"
      description="What is reported, redacted and refused, in what your users send and in what models answer. A key may have rules of its own."
    >
      {policy.isPending && <SkeletonRows rows={8} label="The safety policy is loading" />}
      {policy.isError && <ErrorState error={policy.error} onRetry={() => policy.refetch()} />}
      {policy.isSuccess && (
        // Another person may have saved meanwhile: show that.
        <OwnPolicy key={JSON.stringify(policy.data)} policy={policy.data} />
      )}
      {mayTry && <SafetyTrial />}
    </Page>
  );
}

function OwnPolicy({ policy }: { readonly policy: Policy }) {
  const mayChange = usePermission("safety.change");
  const queries = useQueryClient();
  const done = (title: string) => (now: Policy) => {
    queries.setQueryData(policyQuery.queryKey, now);
    toast({ tone: "positive", title, description: "It holds for new requests." });
  };
  const reset = () => api.call("DELETE /v1/safety/policy").then(done("The service's policy holds again"));
  return (
    <PolicyForm
      rules={policy.rules}
      effective={policy.effective}
      below="the service"
      mayChange={mayChange}
      onSave={(rules) => api.call("PUT /v1/safety/policy", { body: rules }).then(done("The safety policy is saved"))}
      onReset={policy.source === "account" ? reset : undefined}
      resetWords="Back to the service's policy"
    >
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
    </PolicyForm>
  );
}
