import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, ShieldQuestionMark } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatMs } from "../../ui/format.ts";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { GuardrailHookForm } from "./guardrail-hook-form.tsx";
import { HookRow } from "./hook-list.tsx";
import { type GuardrailHook, guardrailHooksQuery } from "./hook-queries.ts";
import { NeedsRole } from "./needs-role.tsx";

const TEXTS = texts.hooks.guardrails;
const SINKS = texts.hooks.sinks;
const MOST = 3;

/** The tab Guardrail hooks: services of the organisation's own that judge its requests and answers. */
export function GuardrailHooksSettings() {
  useDocumentTitle(TEXTS.title);
  return usePermission("webhooks.read") ? <GuardrailHooks /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function GuardrailHooks() {
  const mayChange = usePermission("webhooks.change");
  const { data, error, refetch } = useQuery(guardrailHooksQuery);
  const [edited, setEdited] = useState<GuardrailHook | "new">();
  const hooks = data?.data ?? [];
  const isFull = hooks.length >= MOST;
  const add = mayChange && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden="true" />}
      disabled={isFull || data === undefined}
      onClick={() => setEdited("new")}
    >
      {TEXTS.add}
    </Button>
  );
  return (
    <Section
      title={TEXTS.title}
      description={isFull ? TEXTS.full(MOST) : TEXTS.description}
      actions={hooks.length > 0 && add}
    >
      {data === undefined &&
        (error === null ? (
          <SkeletonRows rows={3} label={TEXTS.loading} />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        ))}
      {data !== undefined && hooks.length === 0 && (
        <EmptyState icon={<ShieldQuestionMark />} title={TEXTS.empty} action={add}>
          {TEXTS.emptyText}
        </EmptyState>
      )}
      {hooks.length > 0 && (
        <ul aria-label={TEXTS.label} className="divide-y divide-line rounded-lg border border-line bg-surface">
          {hooks.map((hook) => (
            <GuardrailRow key={hook.id} hook={hook} mayChange={mayChange} onEdit={() => setEdited(hook)} />
          ))}
        </ul>
      )}
      {edited !== undefined && (
        <GuardrailHookForm hook={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Section>
  );
}

interface GuardrailRowProps {
  readonly hook: GuardrailHook;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
}

function GuardrailRow({ hook, mayChange, onEdit }: GuardrailRowProps) {
  const queries = useQueryClient();
  const { id } = hook;
  const readAgain = () => queries.invalidateQueries({ queryKey: guardrailHooksQuery.queryKey });
  const onError = (error: unknown) => toast({ tone: "danger", title: errorBeside(error, []) ?? texts.api.failed });
  const facts = [
    hook.sides.map((side) => TEXTS[side]).join(", "),
    formatMs(hook.timeout_ms),
    TEXTS.failureIs(TEXTS[hook.on_failure]),
  ];
  return (
    <HookRow
      url={hook.url}
      description={hook.description}
      facts={facts.join(" · ")}
      state={hook.enabled ? { tone: "positive", label: SINKS.active } : { tone: "neutral", label: SINKS.off }}
      enabled={hook.enabled}
      enabledLabel={TEXTS.enabled}
      mayChange={mayChange}
      testLabel={TEXTS.test}
      deleteTitle={TEXTS.deleteTitle}
      deleteText={TEXTS.deleteText}
      onEnable={(enabled) => {
        api.call("PATCH /v1/guardrail-hooks/{id}", { params: { id }, body: { enabled } }).then(readAgain, onError);
      }}
      onTest={async () => {
        try {
          const { action, reason } = await api.call("POST /v1/guardrail-hooks/{id}/test", { params: { id } });
          const hasFailed = action === "failed";
          toast({
            tone: hasFailed ? "danger" : "positive",
            title: hasFailed ? TEXTS.testFailed : TEXTS.testDone(action),
            ...(reason === null ? {} : { description: reason }),
          });
        } catch (error) {
          onError(error);
        }
      }}
      onEdit={onEdit}
      onDelete={async () => {
        await api.call("DELETE /v1/guardrail-hooks/{id}", { params: { id } });
        await readAgain();
        toast({ title: TEXTS.deleted });
      }}
    />
  );
}
