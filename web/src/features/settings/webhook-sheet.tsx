import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { KeyRound, Pencil, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatMs } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Switch } from "../../ui/switch.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { RotateWebhook } from "./rotate-webhook.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { deliveriesQuery, type Webhook, webhooksQuery } from "./webhook-queries.ts";
import { hostOf } from "./webhook-words.ts";

const TEXTS = texts.webhooks.details;

interface WebhookSheetProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** One webhook: how it does, what can be done with it, and what became of its events. */
export function WebhookSheet({ webhook, onClose }: WebhookSheetProps) {
  const queries = useQueryClient();
  const mayChange = usePermission("webhooks.change");
  const [asked, setAsked] = useState<"edit" | "rotate" | "delete">();
  const { id } = webhook;
  const readAnew = () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => api.call("PATCH /v1/webhooks/{id}", { params: { id }, body: { enabled } }),
    onSuccess: readAnew,
    onError: (error) => toast({ tone: "danger", title: errorBeside(error, []) ?? TEXTS.changeFailed }),
  });
  const test = useMutation({
    mutationFn: () => api.call("POST /v1/webhooks/{id}/test", { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: deliveriesQuery(id).queryKey }),
  });
  return (
    <Sheet
      open
      onOpenChange={onClose}
      width="xl"
      title={webhook.description === "" ? hostOf(webhook.url) : webhook.description}
    >
      <div className="grid gap-6">
        {webhook.disabled_reason !== null && (
          <Banner tone="danger" title={TEXTS.disabled}>
            {TEXTS.disabledText(webhook.disabled_reason)}
          </Banner>
        )}
        {webhook.enabled && webhook.failing_since !== null && (
          <Banner tone="warning" title={TEXTS.failing}>
            <Sentence text={TEXTS.failingText} parts={{ time: <Time at={webhook.failing_since} form="date-time" /> }} />
          </Banner>
        )}
        <Switch
          label={TEXTS.enabled}
          description={TEXTS.enabledText}
          checked={enable.isPending ? enable.variables : webhook.enabled}
          disabled={!mayChange || enable.isPending}
          onCheckedChange={(isOn) => enable.mutate(isOn)}
        />
        <KeyValue
          items={[
            { label: TEXTS.url, value: <code className="text-sm">{webhook.url}</code> },
            {
              label: texts.webhooks.events,
              value: webhook.events === null ? texts.webhooks.allEvents : webhook.events.join(", "),
            },
            { label: texts.webhooks.added, value: <Time at={webhook.created_at} form="date-time" /> },
            {
              label: TEXTS.oldSecret,
              value:
                webhook.old_secret_ends_at === null ? undefined : (
                  <Time at={webhook.old_secret_ends_at} form="date-time" />
                ),
            },
          ]}
        />
        {mayChange && (
          <div className="flex flex-wrap gap-2">
            <Button
              variant="primary"
              icon={<Send aria-hidden="true" />}
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              {TEXTS.test}
            </Button>
            <Button icon={<Pencil aria-hidden="true" />} onClick={() => setAsked("edit")}>
              {TEXTS.edit}
            </Button>
            <Button icon={<KeyRound aria-hidden="true" />} onClick={() => setAsked("rotate")}>
              {TEXTS.rotate}
            </Button>
            <Button icon={<Trash2 aria-hidden="true" />} onClick={() => setAsked("delete")}>
              {TEXTS.delete}
            </Button>
          </div>
        )}
        <WebhookTrial trial={test.data} error={test.error} />
        <WebhookDeliveries id={id} />
      </div>
      {asked === "edit" && <WebhookForm webhook={webhook} onClose={() => setAsked(undefined)} />}
      {asked === "rotate" && <RotateWebhook id={id} onClose={() => setAsked(undefined)} />}
      <ConfirmDialog
        open={asked === "delete"}
        onOpenChange={() => setAsked(undefined)}
        title={TEXTS.deleteTitle}
        confirmLabel={TEXTS.deleteConfirm}
        danger
        onConfirm={async () => {
          await api.call("DELETE /v1/webhooks/{id}", { params: { id } });
          onClose();
          await readAnew();
          toast({ title: TEXTS.deleted });
        }}
      >
        <Sentence
          text={TEXTS.deleteText}
          parts={{ host: <span className="wrap-anywhere">{hostOf(webhook.url)}</span> }}
        />
      </ConfirmDialog>
    </Sheet>
  );
}

interface WebhookTrialProps {
  readonly trial: AnswerOf<"POST /v1/webhooks/{id}/test"> | undefined;
  readonly error: unknown;
}

/** What the endpoint said to a test event. */
function WebhookTrial({ trial, error }: WebhookTrialProps) {
  const fault = errorBeside(error, []);
  if (fault !== undefined) return <Banner tone="danger">{fault}</Banner>;
  if (trial === undefined) return null;
  return (
    <Banner
      tone={trial.delivered ? "positive" : "danger"}
      title={trial.delivered ? TEXTS.testDelivered : TEXTS.testFailed}
    >
      <p>
        {trial.status === null
          ? (trial.error ?? TEXTS.noAnswer)
          : TEXTS.answered(trial.status, formatMs(trial.latency_ms))}
      </p>
      {trial.response !== "" && (
        <pre tabIndex={0} className="mt-2 max-h-32 overflow-auto text-xs whitespace-pre-wrap wrap-anywhere">
          {trial.response}
        </pre>
      )}
    </Banner>
  );
}
