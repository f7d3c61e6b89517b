import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { useRef, useState } from "react";
import { api } from "../api/client.ts";
import { requestQuery } from "../api/request.ts";
import { toast } from "../ui/toast.tsx";

/** What was said of an answer. */
export type Feedback = AnswerOf<"POST /v1/requests/{id}/feedback">;
type Said = BodyOf<"POST /v1/requests/{id}/feedback">;

/** What is said of an answer, and how to say it. It shows at once, and goes back to what holds where it was not taken. */
export function useFeedback(requestId: string, given: Feedback | undefined) {
  const queries = useQueryClient();
  const [shown, setShown] = useState<Said | undefined>(given);
  const held = useRef<Said | undefined>(given);
  const latest = useRef<Said>(undefined);
  const { mutate, isPending } = useMutation({
    // One after the other, so that what was said last is what stays.
    scope: { id: `feedback-${requestId}` },
    mutationFn: (body: Said) => api.call("POST /v1/requests/{id}/feedback", { params: { id: requestId }, body }),
    onMutate: (said) => {
      latest.current = said;
      setShown(said);
    },
    onSuccess: (saved) => {
      held.current = saved;
      queries.setQueryData(requestQuery(requestId).queryKey, (detail) => detail && { ...detail, feedback: saved });
    },
    onError: (error, said) => {
      if (latest.current === said) setShown(held.current);
      toast({ tone: "danger", title: "Your feedback was not taken", description: error.message });
    },
  });
  return { shown, say: mutate, isPending };
}
