import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { learningQuery } from "./routing-queries.ts";

/** Whether the router learns from how the organisation's answers turned out. */
export function LearningSection({ mayChange }: { readonly mayChange: boolean }) {
  const queries = useQueryClient();
  const learning = useQuery(learningQuery);
  const save = useMutation({
    mutationFn: (isOn: boolean) => api.call("PUT /v1/routing/learning", { body: { learning: isOn ? "on" : "frozen" } }),
    onSuccess: (now) => {
      queries.setQueryData(learningQuery.queryKey, now);
      toast({
        tone: "positive",
        title: now.learning === "on" ? "The router learns from your outcomes" : "Learning is frozen",
      });
    },
    onError: (error) => toast({ tone: "danger", title: error.message }),
  });
  return (
    <Section
      className="grid-rows-[auto_1fr]"
      title="Learning"
      description="Feedback, checks and repeated questions show how good each model is for work like yours."
    >
      {learning.isPending ? (
        <SkeletonRows rows={2} label="Loading the learning" />
      ) : learning.isError ? (
        <ErrorState error={learning.error} onRetry={() => learning.refetch()} />
      ) : (
        <Card className="grid content-start gap-4">
          {learning.data.service === "frozen" && (
            <Banner tone="warning" title="The operator has frozen learning for everyone">
              Your own choice counts again once they let it go on.
            </Banner>
          )}
          <Switch
            label="Learn from our outcomes"
            description="Off: they change no prediction, and no model is tried out on your requests. What was learnt before still counts, and feedback is kept."
            // What was asked for shows at once.
            checked={save.isPending ? save.variables : learning.data.learning === "on"}
            onCheckedChange={(isOn) => save.mutate(isOn)}
            disabled={!mayChange}
          />
        </Card>
      )}
    </Section>
  );
}
