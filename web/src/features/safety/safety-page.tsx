import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { policyQuery } from "../../shared/safety-policy.ts";
import { PolicyForm } from "../../shared/safety-policy-form.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.safety;

type Policy = AnswerOf<"GET /v1/safety/policy">;

/** What is done about unsafe inputs and answers of the organisation's requests. */
export function SafetyPage() {
  const policy = useQuery(policyQuery);
  return (
    <Page title={TEXTS.title} description={TEXTS.description}>
      {policy.isPending && <SkeletonRows rows={8} label={TEXTS.loading} />}
      {policy.isError && <ErrorState error={policy.error} onRetry={() => policy.refetch()} />}
      {policy.isSuccess && (
        // Another person may have saved meanwhile: show that.
        <OwnPolicy key={JSON.stringify(policy.data)} policy={policy.data} />
      )}
    </Page>
  );
}

function OwnPolicy({ policy }: { readonly policy: Policy }) {
  const mayTry = usePermission("safety.check");
  const mayChange = usePermission("safety.change");
  const queries = useQueryClient();
  const done = (title: string) => (now: Policy) => {
    queries.setQueryData(policyQuery.queryKey, now);
    toast({ tone: "positive", title, description: TEXTS.savedText });
  };
  const reset = () => api.call("DELETE /v1/safety/policy").then(done(TEXTS.resetDone));
  return (
    <PolicyForm
      rules={policy.rules}
      effective={policy.effective}
      below="service"
      mayChange={mayChange}
      tries={mayTry ? "draft" : undefined}
      onSave={(rules) => api.call("PUT /v1/safety/policy", { body: rules }).then(done(TEXTS.saved))}
      onReset={policy.source === "account" ? reset : undefined}
      resetWords={TEXTS.reset}
    >
      {!mayChange && <Banner>{TEXTS.readOnly}</Banner>}
      {policy.locked && (
        <Banner tone="warning" title={TEXTS.locked.title}>
          {TEXTS.locked.text}
        </Banner>
      )}
      {policy.dry_run && (
        <Banner tone="warning" title={TEXTS.dryRunOn.title}>
          {TEXTS.dryRunOn.text}
        </Banner>
      )}
    </PolicyForm>
  );
}
