import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { floorQuery } from "./routing-queries.ts";

/** What the lowest cost asks of a model's quality: the service's own floor, or one of the organisation. */
export function FloorSection({ mayChange }: { readonly mayChange: boolean }) {
  const floor = useQuery(floorQuery);
  return (
    <Section
      className="grid-rows-[auto_1fr]"
      title="Quality floor"
      description="Lowest cost takes the cheapest of the models that surely clear it. The others come after them, so no request fails for it."
    >
      {floor.isPending ? (
        <SkeletonRows rows={2} label="Loading the quality floor" />
      ) : floor.isError ? (
        <ErrorState error={floor.error} onRetry={() => floor.refetch()} />
      ) : (
        <FloorForm
          // Another person may have saved meanwhile: show that.
          key={String(floor.data.min_quality)}
          saved={floor.data.min_quality}
          mayChange={mayChange}
        />
      )}
    </Section>
  );
}

interface FloorFormProps {
  /** null: the service's own. */
  readonly saved: number | null;
  readonly mayChange: boolean;
}

function FloorForm({ saved, mayChange }: FloorFormProps) {
  const queries = useQueryClient();
  const [isOwn, setIsOwn] = useState(saved !== null);
  const [floor, setFloor] = useState(saved ?? undefined);
  const [isTried, setIsTried] = useState(false);
  const isRight = !isOwn || (floor !== undefined && floor >= 0 && floor <= 1);
  const wanted = isOwn ? (floor ?? null) : null;
  const isDirty = isOwn !== (saved !== null) || wanted !== saved;
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/routing/floor", { body: { min_quality: wanted } }),
    onSuccess: (now) => {
      queries.setQueryData(floorQuery.queryKey, now);
      void queries.invalidateQueries({ queryKey: ["routing-report"] });
      toast({
        tone: "positive",
        title: "Quality floor saved",
        description: now.min_quality === null ? "The service's own holds." : `It is ${now.min_quality} now.`,
      });
    },
    onError: (error) => toast({ tone: "danger", title: error.message }),
  });
  return (
    <Card>
      <UnsavedGuard when={isDirty} />
      <form
        className="grid justify-items-start gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setIsTried(true);
          if (isRight && mayChange) save.mutate();
        }}
      >
        <Segmented
          label="Whose quality floor"
          value={isOwn ? "own" : "service"}
          onValueChange={(whose) => setIsOwn(whose === "own")}
          options={[
            { value: "service", label: "The service's own" },
            { value: "own", label: "Ours" },
          ]}
        />
        {isOwn && (
          <Field
            label="Least quality"
            hint="From 0, any, to 1, the very best."
            error={isTried && !isRight ? "Write a number from 0 to 1, such as 0.6." : undefined}
            className="w-full max-w-48"
          >
            <NumberInput value={floor} onValueChange={setFloor} placeholder="0.6" />
          </Field>
        )}
        <Button type="submit" loading={save.isPending} disabled={!mayChange || !isDirty}>
          Save the floor
        </Button>
      </form>
    </Card>
  );
}
