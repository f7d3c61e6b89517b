import { ApiError } from "@trunkline/sdk";
import { useRef, useState } from "react";
import { type DefaultValues, type FieldPath, useForm } from "react-hook-form";
import { texts } from "../../texts/texts.ts";
import type { ModelFormHandle } from "./form-fields.tsx";
import type { ModelDraft, Registration } from "./model-draft.ts";
import { type Note, noteOn, useValidation } from "./use-validation.ts";

const TEXTS = texts.providerForm.useModelForm;

export interface ModelFormTerms {
  readonly start: ModelDraft;
  readonly isChange: boolean;
  readonly hasCredential: boolean;
  /** What would be sent for a draft. */
  readonly bodyOf: (draft: ModelDraft) => Partial<Registration>;
  readonly send: (draft: ModelDraft) => Promise<unknown>;
}

/** The state of a form about a model: what is typed, what the service says of it, and the sending. */
export function useModelForm({ start, isChange, hasCredential, bodyOf, send }: ModelFormTerms) {
  const element = useRef<HTMLFormElement>(null);
  const fields = useForm<ModelDraft, unknown, ModelDraft>({ defaultValues: start as DefaultValues<ModelDraft> });
  const { isSubmitted: wasSent, isSubmitting: isSending } = fields.formState;
  const draft = fields.watch();
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<readonly Note[]>([]);
  const body = bodyOf(draft);
  const { validation, isChecking, validateNow } = useValidation(
    isChange ? { ...body, name: start.name } : body,
    isChange,
  );
  const issues = [...refused, ...validation.issues];

  const form: ModelFormHandle = {
    draft,
    isChange,
    hasCredential,
    set(patch, param) {
      for (const [name, value] of Object.entries(patch)) fields.setValue(name as FieldPath<ModelDraft>, value);
      setTouched((before) => new Set([...before, param]));
      setRefused([]);
    },
    // No error is shown for a field before it was touched, or the form sent.
    errorOn: (param) => (wasSent || isTouched(touched, param) ? noteOn(issues, param) : undefined),
    warningOn: (param) => (wasSent || isTouched(touched, param) ? noteOn(validation.warnings, param) : undefined),
  };

  const submit = fields.handleSubmit(async (values) => {
    try {
      const answer = await validateNow();
      if (!answer.valid) return focusFirst(answer.issues);
      await send(values);
    } catch (error) {
      const note = { param: paramOf(error), message: error instanceof Error ? error.message : TEXTS.tryAgain };
      setRefused([note]);
      focusFirst([note]);
    }
  });

  /** The first in the order of the page; where none has a field, the summary. */
  function focusFirst(notes: readonly Note[]): void {
    requestAnimationFrame(() => {
      const places = [...(element.current?.querySelectorAll<HTMLElement>("[data-param]") ?? [])];
      const wrong = places.find(({ dataset }) => noteOn(notes, dataset.param ?? "") !== undefined);
      // A folded part shows no field that could be focused.
      const folded = wrong?.closest("details");
      if (folded instanceof HTMLDetailsElement) folded.open = true;
      const control = wrong?.querySelector<HTMLElement>("input, textarea, select, button");
      (control ?? element.current?.querySelector<HTMLElement>("[data-summary]"))?.focus();
    });
  }

  return {
    element,
    form,
    submit,
    isSending,
    isChecking,
    isDirty: JSON.stringify(draft) !== JSON.stringify(start),
    /** The errors of the summary: none before the form was sent. */
    summary: wasSent ? issues : [],
    focus: (param: string) => focusFirst([{ param, message: "" }]),
  };
}

function isTouched(touched: ReadonlySet<string>, param: string): boolean {
  return touched.has(param) || [...touched].some((one) => one.startsWith(`${param}.`));
}

function paramOf(error: unknown): string {
  return error instanceof ApiError ? (error.param ?? "") : "";
}
