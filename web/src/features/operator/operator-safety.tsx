import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { PolicyForm } from "../../shared/safety-policy-form.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { JudgeForm, judgeDraftOf, judgeOf } from "./judge-form.tsx";

const TEXTS = texts.operator.safety;

type Policy = AnswerOf<"GET /v1/admin/safety">;

const KEY = ["operator", "safety"];

/** The tab Safety: the policy for every request, and a place to try it. */
export function OperatorSafety() {
  useDocumentTitle(TEXTS.safetyPolicy);
  const policy = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.call("GET /v1/admin/safety", { signal }),
  });
  if (policy.isPending) return <SkeletonRows label={TEXTS.theSafetyPolicyIs} rows={8} />;
  if (policy.isError) return <ErrorState error={policy.error} onRetry={policy.refetch} />;
  return <ServicePolicy key={JSON.stringify(policy.data)} policy={policy.data} />;
}

function ServicePolicy({ policy }: { readonly policy: Policy }) {
  const queries = useQueryClient();
  const [locked, setLocked] = useState(policy.locked);
  const [judge, setJudge] = useState(() => judgeDraftOf(policy));
  const isJudgeChanged = JSON.stringify(judge) !== JSON.stringify(judgeDraftOf(policy));
  const done = (title: string) => (saved: Policy) => {
    queries.setQueryData(KEY, saved);
    toast({ tone: "positive", title, description: TEXTS.itHoldsOnEvery });
  };
  const reset = () => api.call("DELETE /v1/admin/safety").then(done(TEXTS.backToTheConfiguration));
  return (
    <PolicyForm
      rules={policy}
      effective={policy.effective}
      below="configuration"
      mayChange
      tries="saved"
      isMoreChanged={locked !== policy.locked || isJudgeChanged}
      onSave={(rules) =>
        api
          .call("PUT /v1/admin/safety", { body: { ...rules, locked, ...judgeOf(judge) } })
          .then(done(TEXTS.thePolicyIsSet))
      }
      onReset={policy.source === "dashboard" ? reset : undefined}
      resetWords={TEXTS.backToTheConfiguration}
    >
      <Banner title={policy.source === "dashboard" ? TEXTS.setHere : TEXTS.asTheConfigurationSays}>
        {policy.source === "dashboard" ? TEXTS.thisGoesBeforeThe : TEXTS.whatYouSaveHere}
      </Banner>
      <Card>
        <Switch
          label={TEXTS.lockThePolicy}
          description={TEXTS.accountsAndKeysCan}
          checked={locked}
          onCheckedChange={setLocked}
        />
      </Card>
      <JudgeForm draft={judge} shown={policy.judge} onChange={setJudge} />
    </PolicyForm>
  );
}
