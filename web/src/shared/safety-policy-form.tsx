import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useApiForm } from "../api/use-api-form.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { Form, FormValue } from "../ui/form.tsx";
import { UnsavedGuard } from "../ui/unsaved-guard.tsx";
import { draftOf, errorsOf, hasErrors, type Rules, rulesOf } from "./safety-draft.ts";
import { RulesForm, type RulesFormProps } from "./safety-rules-form.tsx";
import { SafetyTrial, useTrial } from "./safety-trial.tsx";

export interface PolicyFormProps extends Pick<RulesFormProps, "effective" | "below"> {
  /** What is said now. */
  readonly rules: Rules | null;
  readonly mayChange: boolean;
  /** Whether texts can be tried, and if so by what: the rules as they are typed, or those that are saved. */
  readonly tries: "draft" | "saved" | undefined;
  /** Whether something is changed that is not among the rules. */
  readonly isMoreChanged?: boolean;
  readonly onSave: (rules: Rules) => Promise<unknown>;
  /** Unsays everything; undefined: there is nothing to unsay. */
  readonly onReset: (() => Promise<unknown>) | undefined;
  /** What the button for it says. */
  readonly resetWords: string;
  /** What stands above the rules. */
  readonly children?: ReactNode;
}

/** The rules of a level: edit, try, save, or remove. */
export function PolicyForm({
  rules,
  effective,
  below,
  mayChange,
  tries,
  isMoreChanged = false,
  onSave,
  onReset,
  resetWords,
  children,
}: PolicyFormProps) {
  const saved = draftOf(rules);
  const form = useApiForm({ values: { draft: saved }, send: (values) => onSave(rulesOf(values.draft)) });
  const isTried = form.formState.isSubmitted;
  const draft = form.watch("draft");
  const errors = errorsOf(draft);
  const isChanged = JSON.stringify(rulesOf(draft)) !== JSON.stringify(rulesOf(saved));
  const isDirty = isMoreChanged || isChanged;
  const reset = useMutation({ mutationFn: async () => onReset?.() });
  const trial = useTrial(tries === "draft" && isChanged && !hasErrors(errors) ? rulesOf(draft) : undefined);
  const words = texts.safety.form;
  return (
    <div className={tries === undefined ? "" : "grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]"}>
      <Form form={{ ...form, fault: undefined }} className="min-w-0 gap-6">
        <UnsavedGuard when={isDirty} />
        {children}
        <FormValue form={form} name="draft" check={(typed) => (hasErrors(errorsOf(typed)) ? words.fix : undefined)}>
          {({ value, onChange }) => (
            <RulesForm
              draft={value}
              errors={isTried ? errors : errorsOf(saved)}
              effective={effective}
              below={below}
              disabled={!mayChange}
              onChange={onChange}
              {...(tries === undefined ? {} : { onTry: trial.check })}
            />
          )}
        </FormValue>
        {(form.error ?? reset.error) !== null && <ErrorState error={form.error ?? reset.error} title={words.failed} />}
        {mayChange && (isDirty || onReset !== undefined) && (
          // In sight wherever something is changed.
          <div className="sticky bottom-0 z-20 -mx-1 flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-canvas px-1 py-3">
            <Button type="submit" variant="primary" loading={form.isSending} disabled={!isDirty}>
              {words.save}
            </Button>
            {onReset !== undefined && (
              <Button loading={reset.isPending} onClick={() => reset.mutate()}>
                {resetWords}
              </Button>
            )}
            {isTried && hasErrors(errors) ? (
              <p className="text-sm text-danger">{words.fix}</p>
            ) : (
              isDirty && <p className="text-sm text-muted">{words.unsaved}</p>
            )}
          </div>
        )}
      </Form>
      {tries !== undefined && <SafetyTrial trial={trial} />}
    </div>
  );
}
