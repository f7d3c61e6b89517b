import { Link } from "@tanstack/react-router";
import { LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { ConnectionDetails, EndpointSection } from "./form-endpoint.tsx";
import { PriceSection } from "./form-price.tsx";
import { CapabilitySection, IdentitySection, LimitSection, RoutingSection } from "./form-sections.tsx";
import { type ModelFormTerms, useModelForm } from "./use-model-form.ts";
import { type Note, sentence } from "./use-validation.ts";

const TEXTS = texts.providerForm.modelForm;

export interface ModelFormProps extends ModelFormTerms {
  readonly label: string;
  readonly submitLabel: string;
  readonly cancelTo: ReactNode;
}

/** The form about a model. It checks itself while one types. */
export function ModelForm({ label, submitLabel, cancelTo, ...terms }: ModelFormProps) {
  const { element, form, submit, isSending, isChecking, isDirty, summary, focus } = useModelForm(terms);
  return (
    <form
      ref={element}
      noValidate
      aria-label={label}
      onSubmit={(event) => void submit(event)}
      className="grid min-w-0 gap-8 [&_:is(button,input,textarea)]:scroll-mb-28"
    >
      <UnsavedGuard when={isDirty && !isSending} />
      {summary.length > 0 && <Summary notes={summary} onPick={focus} />}
      <EndpointSection form={form} />
      <IdentitySection form={form} />
      <PriceSection form={form} />
      <details className="rounded-lg border border-line bg-surface">
        <summary className="rounded-lg px-4 py-3 font-medium">
          {TEXTS.more} <span className="font-normal text-muted">{TEXTS.moreText}</span>
        </summary>
        <div className="grid gap-8 border-t border-line px-4 py-6">
          <ConnectionDetails form={form} />
          <CapabilitySection form={form} />
          <LimitSection form={form} />
          <RoutingSection form={form} />
        </div>
      </details>
      <div className="sticky bottom-3 z-20 flex flex-wrap items-center justify-end gap-3 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-overlay">
        <p role="status" className="mr-auto flex items-center gap-2 text-sm text-muted">
          {isChecking && isDirty ? (
            <>
              <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
              {TEXTS.checking}
            </>
          ) : summary.length > 0 ? (
            TEXTS.fixFields(summary.length)
          ) : (
            TEXTS.itIsCheckedAs
          )}
        </p>
        {cancelTo}
        <Button type="submit" variant="primary" loading={isSending} disabled={terms.isChange && !isDirty}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** A link back that looks like a button. */
export function CancelLink({ name }: { readonly name?: string }) {
  return name === undefined ? (
    <Link to="/providers" className={buttonClass()}>
      {TEXTS.cancel}
    </Link>
  ) : (
    <Link to="/providers/$name" params={{ name }} className={buttonClass()}>
      {TEXTS.cancel}
    </Link>
  );
}

function Summary({ notes, onPick }: { readonly notes: readonly Note[]; onPick: (param: string) => void }) {
  return (
    <div data-summary tabIndex={-1} className="rounded-md">
      <Banner tone="danger" title={TEXTS.fixFields(notes.length)}>
        <ul className="grid gap-0.5">
          {notes.map((note) => (
            <li key={note.param} className="wrap-anywhere">
              {note.param !== "" && (
                <>
                  <button type="button" onClick={() => onPick(note.param)} className={TEXT_LINK}>
                    {wordsFor(note.param)}
                  </button>
                  {": "}
                </>
              )}
              {sentence(note.message)}
            </li>
          ))}
        </ul>
      </Banner>
    </div>
  );
}

/** A field's name in the API as words: `pricing.per_image` is "Pricing, per image". */
function wordsFor(param: string): string {
  return sentence(param.replaceAll("_", " ").replaceAll(".", ", "));
}
