import { useMutation } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import type { SubmitEvent } from "react";
import { type DefaultValues, type FieldPath, type FieldValues, useForm } from "react-hook-form";
import { errorAt, errorBeside } from "./sign-in.ts";

export interface ApiFormOptions<Values extends FieldValues, Answer> {
  /** What the fields hold at first. */
  readonly values: Values;
  /** Sends what is in the fields. */
  readonly send: (values: Values) => Promise<Answer>;
  readonly onSent?: (answer: Answer, values: Values) => unknown;
  /** Called however the sending ends. */
  readonly onSettled?: () => void;
  /** The field for each parameter of the API that has another name. */
  readonly params?: Readonly<Record<string, FieldPath<Values>>> | ((param: string) => FieldPath<Values> | undefined);
  /** What says nothing about the form, such as that a person did not want to go on. */
  readonly isSilent?: (error: unknown) => boolean;
}

/**
 * The state of a form whose values go to the API. Fields are checked when it is sent, and after that as they change. What the API
 * refuses is shown at the field that it names, and otherwise as the fault of the form.
 */
export function useApiForm<Values extends FieldValues, Answer>({
  values: first,
  send,
  onSent,
  onSettled,
  params = {},
  isSilent,
}: ApiFormOptions<Values, Answer>) {
  const form = useForm<Values, unknown, Values>({
    defaultValues: first as DefaultValues<Values>,
    shouldFocusError: false,
  });
  const mutation = useMutation({ mutationFn: send, ...(onSettled === undefined ? {} : { onSettled }) });
  const { errors, isDirty } = form.formState;

  const fieldOf = (error: unknown): FieldPath<Values> | undefined => {
    if (!(error instanceof ApiError) || error.param === undefined) return undefined;
    const renamed = typeof params === "function" ? params(error.param) : params[error.param];
    const name = renamed ?? (error.param as FieldPath<Values>);
    // Only a field that is shown can show an error.
    return form.control._names.mount.has(name) ? name : undefined;
  };

  /** Whether the values were accepted. */
  async function sendValues(values: Values): Promise<boolean> {
    let answer: Answer;
    try {
      answer = await mutation.mutateAsync(values);
    } catch (error) {
      if (isSilent?.(error) === true) return true;
      const field = fieldOf(error);
      const message = field === undefined ? errorBeside(error, []) : errorAt(error, (error as ApiError).param ?? "");
      form.setError(field ?? "root", { message: message ?? "" });
      return false;
    }
    await onSent?.(answer, values);
    return true;
  }

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    // A dialog's form may stand inside another one for React, though not for the browser.
    event.stopPropagation();
    if (mutation.isPending) return;
    const element = event.currentTarget;
    let isAccepted = false;
    await form.handleSubmit(async (values) => {
      isAccepted = await sendValues(values);
    })();
    if (!isAccepted) focusFirstWrong(element);
  }

  return {
    ...form,
    submit: (event: SubmitEvent<HTMLFormElement>) => void submit(event),
    isDirty,
    isSending: mutation.isPending,
    fault: errors.root?.message,
    /** What the API answered last. */
    answer: mutation.data,
    error: mutation.error,
    /** Back to before it was sent. */
    startOver: () => {
      mutation.reset();
      form.clearErrors();
    },
  };
}

/** The state of a form with these fields. */
export type ApiForm<Values extends FieldValues> = ReturnType<typeof useApiForm<Values, unknown>>;

/** In how many frames an error is on the page at the latest. */
const FRAMES = 30;

/** The first wrong field in the order of the page gets the focus; where none is wrong, what is wrong is brought into view. */
function focusFirstWrong(form: HTMLFormElement, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const wrong = form.querySelector<HTMLElement>("[aria-invalid=true]");
    const fault = form.querySelector("[data-fault]");
    if (wrong === null && fault === null) {
      if (frames > 0) focusFirstWrong(form, frames - 1);
      return;
    }
    // A folded part shows no field that could be focused.
    const folded = wrong?.closest("details");
    if (folded instanceof HTMLDetailsElement) folded.open = true;
    (wrong?.matches("fieldset") ? wrong.querySelector<HTMLElement>("button") : wrong)?.focus();
    if (wrong === null) fault?.scrollIntoView({ block: "nearest" });
  });
}
