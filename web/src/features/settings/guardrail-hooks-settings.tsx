import { useQueryClient } from "@tanstack/react-query";
import { ShieldQuestionMark } from "lucide-react";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { formatMs, formatNumber } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { GuardrailHookForm } from "./guardrail-hook-form.tsx";
import { HookList, HookRow } from "./hook-list.tsx";
import { type GuardrailHook, guardrailHooksQuery } from "./hook-queries.ts";
import { Receivers } from "./receivers.tsx";

const TEXTS = texts.hooks.guardrails;
const SINKS = texts.hooks.sinks;
const MOST = 3;

/** The tab Guardrail hooks: services of the organisation's own that judge its requests and answers. */
export function GuardrailHooksSettings() {
  return (
    <Receivers
      words={TEXTS}
      icon={<ShieldQuestionMark />}
      most={MOST}
      query={guardrailHooksQuery}
      form={(hook, onClose) => <GuardrailHookForm hook={hook} onClose={onClose} />}
    >
      {(hooks, mayChange, edit) => (
        <HookList label={TEXTS.label}>
          {hooks.map((hook) => (
            <GuardrailRow key={hook.id} hook={hook} mayChange={mayChange} onEdit={() => edit(hook)} />
          ))}
        </HookList>
      )}
    </Receivers>
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
    ...(hook.stream === "sections" && hook.sides.includes("output")
      ? [TEXTS.streamedIn(formatNumber(hook.section_characters))]
      : []),
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
