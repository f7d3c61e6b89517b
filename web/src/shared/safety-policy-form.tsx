import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { UnsavedGuard } from "../ui/unsaved-guard.tsx";
import { draftOf, errorsOf, hasErrors, type Rules, rulesOf } from "./safety-draft.ts";
import { RulesForm, type RulesFormProps } from "./safety-rules-form.tsx";

export interface PolicyFormProps extends Pick<RulesFormProps, "effective" | "below"> {
  /** What is said now. */
  readonly rules: Rules | null;
  readonly mayChange: boolean;
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

/** The rules of a level: edit, save, or remove. */
export function PolicyForm({
  rules,
  effective,
  below,
  mayChange,
  isMoreChanged = false,
  onSave,
  onReset,
  resetWords,
  children,
}: PolicyFormProps) {
  const saved = draftOf(rules);
  const [draft, setDraft] = useState(saved);
  const [isTried, setIsTried] = useState(false);
  const errors = errorsOf(draft);
  const isDirty = isMoreChanged || JSON.stringify(rulesOf(draft)) !== JSON.stringify(rulesOf(saved));
  const save = useMutation({ mutationFn: () => onSave(rulesOf(draft)) });
  const reset = useMutation({ mutationFn: async () => onReset?.() });
  return (
    <form
      className="grid gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (!hasErrors(errors) && mayChange) save.mutate();
      }}
    >
      <UnsavedGuard when={isDirty} />
      {children}
      <RulesForm
        draft={draft}
        errors={isTried ? errors : errorsOf(saved)}
        effective={effective}
        below={below}
        disabled={!mayChange}
        onChange={setDraft}
      />
      {(save.isError || reset.isError) && <ErrorState error={save.error ?? reset.error} title="This was not saved" />}
      {mayChange && (
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" loading={save.isPending} disabled={!isDirty}>
            Save the policy
          </Button>
          {onReset !== undefined && (
            <Button loading={reset.isPending} onClick={() => reset.mutate()}>
              {resetWords}
            </Button>
          )}
          {isTried && hasErrors(errors) && <p className="text-danger">Something above is not right yet.</p>}
        </div>
      )}
    </form>
  );
}
