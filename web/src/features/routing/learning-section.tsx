import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { learningQuery } from "./routing-queries.ts";

const TEXTS = texts.routing.learning;

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
        title: now.learning === "on" ? TEXTS.on : TEXTS.off,
      });
    },
    onError: (error) => toast({ tone: "danger", title: error.message }),
  });
  return (
    <Section className="grid-rows-[auto_1fr]" title={TEXTS.title} description={TEXTS.description}>
      {learning.isPending ? (
        <SkeletonRows rows={2} label={TEXTS.loading} />
      ) : learning.isError ? (
        <ErrorState error={learning.error} onRetry={() => learning.refetch()} />
      ) : (
        <Card className="grid content-start gap-4">
          {learning.data.service === "frozen" && (
            <Banner tone="warning" title={TEXTS.frozen.title}>
              {TEXTS.frozen.text}
            </Banner>
          )}
          <Switch
            label={TEXTS.label}
            description={TEXTS.text}
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
