import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { PolicyForm } from "../../shared/safety-policy-form.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { JudgeForm, judgeDraftOf, judgeOf } from "./judge-form.tsx";

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
  return <ServicePolicy key={JSON.stringify(policy.data)} policy={policy.data} />;
}

function ServicePolicy({ policy }: { readonly policy: Policy }) {
  const queries = useQueryClient();
  const [locked, setLocked] = useState(policy.locked);
  const [judge, setJudge] = useState(() => judgeDraftOf(policy));
  const isJudgeChanged = JSON.stringify(judge) !== JSON.stringify(judgeDraftOf(policy));
  const done = (title: string) => (saved: Policy) => {
    queries.setQueryData(KEY, saved);
    toast({ tone: "positive", title, description: "It holds on every instance." });
  };
  const reset = () => api.call("DELETE /v1/admin/safety").then(done("Back to the configuration"));
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
          .then(done("The policy is set"))
      }
      onReset={policy.source === "dashboard" ? reset : undefined}
      resetWords="Back to the configuration"
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
      <JudgeForm draft={judge} shown={policy.judge} onChange={setJudge} />
    </PolicyForm>
  );
}
