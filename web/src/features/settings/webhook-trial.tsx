import type { AnswerOf } from "@trunkline/sdk";
import { errorBeside } from "../../api/sign-in.ts";
import { Banner } from "../../ui/banner.tsx";
import { formatMs } from "../../ui/format.ts";

interface WebhookTrialProps {
  readonly trial: AnswerOf<"POST /v1/webhooks/{id}/test"> | undefined;
  readonly error: unknown;
}

/** What the endpoint said to a test event. */
export function WebhookTrial({ trial, error }: WebhookTrialProps) {
  const fault = errorBeside(error, []);
  if (fault !== undefined) return <Banner tone="danger">{fault}</Banner>;
  if (trial === undefined) return null;
  return (
    <Banner
      tone={trial.delivered ? "positive" : "danger"}
      title={trial.delivered ? "The test event was delivered" : "The test event was not delivered"}
    >
      <p>
        {trial.status === null ? (trial.error ?? "No answer came.") : `It answered ${trial.status}`}
        {trial.status !== null && ` within ${formatMs(trial.latency_ms)}.`}
      </p>
      {trial.response !== "" && (
        <pre tabIndex={0} className="mt-2 max-h-32 overflow-auto text-xs whitespace-pre-wrap wrap-anywhere">
          {trial.response}
        </pre>
      )}
    </Banner>
  );
}
