import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { MessageSquarePlus, ThumbsDown, ThumbsUp } from "lucide-react";
import { lazy, Suspense, useId, useRef, useState } from "react";
import { api } from "../api/client.ts";
import { requestQuery } from "../api/request.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { toast } from "../ui/toast.tsx";

// Few write one, and a form takes code of its own.
const CommentForm = lazy(() => import("./comment-form.tsx").then((module) => ({ default: module.CommentForm })));

export interface AnswerFeedbackProps {
  readonly requestId: string;
  /** What was said of it before. */
  readonly given: Feedback | undefined;
  /** Without it, what was said is shown and can't be changed. */
  readonly mayGive: boolean;
}

/** Whether an answer was good: a thumb up or down, and a word on why. */
export function AnswerFeedback({ requestId, given, mayGive }: AnswerFeedbackProps) {
  const { shown, say, isPending } = useFeedback(requestId, given);
  /** Undefined until the form was opened once: who closes it is back at its button. */
  const [isWriting, setIsWriting] = useState<boolean>();
  const label = useId();
  const comment = shown?.comment;
  const rate = (score: 1 | -1) => {
    if (shown?.score !== score) say({ score, ...(comment === undefined ? {} : { comment }) });
  };
  if (!mayGive && shown === undefined) return null;
  return (
    <div role="group" aria-labelledby={label} className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span id={label} className="mr-1 text-sm font-medium">
          {mayGive ? texts.feedback.question : texts.feedback.given}
        </span>
        {mayGive && (
          <>
            <Thumb
              label={texts.feedback.good}
              isPressed={(shown?.score ?? 0) > 0}
              tone="good"
              onClick={() => rate(1)}
            />
            <Thumb label={texts.feedback.bad} isPressed={(shown?.score ?? 0) < 0} tone="bad" onClick={() => rate(-1)} />
          </>
        )}
        <span role="status" className="text-sm text-muted">
          {shown !== undefined && (isPending ? texts.feedback.saving : verdictOf(shown.score))}
        </span>
        {mayGive && shown !== undefined && isWriting !== true && (
          <Button
            autoFocus={isWriting === false}
            size="sm"
            variant="ghost"
            icon={<MessageSquarePlus aria-hidden="true" />}
            onClick={() => setIsWriting(true)}
          >
            {comment === undefined ? texts.feedback.addComment : texts.feedback.editComment}
          </Button>
        )}
      </div>
      {comment !== undefined && isWriting !== true && (
        <p className="border-l-2 border-line-strong pl-3 text-sm wrap-anywhere whitespace-pre-wrap">{comment}</p>
      )}
      {isWriting === true && shown !== undefined && (
        <Suspense fallback={<Skeleton className="h-36" />}>
          <CommentForm
            comment={comment}
            onCancel={() => setIsWriting(false)}
            onSave={(text) => {
              say({ score: shown.score, ...(text === "" ? {} : { comment: text }) });
              setIsWriting(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** A score in words; programs may give any between the two thumbs. */
function verdictOf(score: number): string {
  const { verdicts } = texts.feedback;
  if (score === 0) return verdicts.neutral;
  if (score > 0) return score === 1 ? verdicts.good : verdicts.goodBy(`+${score}`);
  return score === -1 ? verdicts.bad : verdicts.badBy(`−${-score}`);
}

interface ThumbProps {
  readonly label: string;
  readonly isPressed: boolean;
  readonly tone: "good" | "bad";
  readonly onClick: () => void;
}

const PRESSED = {
  good: "aria-pressed:border-positive aria-pressed:bg-positive-soft aria-pressed:text-positive",
  bad: "aria-pressed:border-danger aria-pressed:bg-danger-soft aria-pressed:text-danger",
} as const;

function Thumb({ label, isPressed, tone, onClick }: ThumbProps) {
  const Icon = tone === "good" ? ThumbsUp : ThumbsDown;
  return (
    <IconButton
      size="sm"
      variant="secondary"
      label={label}
      icon={<Icon aria-hidden="true" />}
      aria-pressed={isPressed}
      onClick={onClick}
      className={PRESSED[tone]}
    />
  );
}

/** What was said of an answer. */
type Feedback = AnswerOf<"POST /v1/requests/{id}/feedback">;
type Said = BodyOf<"POST /v1/requests/{id}/feedback">;

/** What is said of an answer, and how to say it. It shows at once, and goes back to what holds where it was not taken. */
function useFeedback(requestId: string, given: Feedback | undefined) {
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
      toast({ tone: "danger", title: texts.feedback.failed, description: error.message });
    },
  });
  return { shown, say: mutate, isPending };
}
