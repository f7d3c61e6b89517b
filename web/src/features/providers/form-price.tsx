import { formatMoney } from "../../ui/format.ts";
import { DraftNumber, type ModelFormHandle } from "./form-fields.tsx";
import { FormSection } from "./form-sections.tsx";
import type { ModelType, PriceField, Prices } from "./model-draft.ts";
import { sampleCost } from "./price-words.ts";

interface PriceLine {
  readonly field: PriceField;
  readonly label: string;
  readonly suffix: string;
}

const INPUT: PriceLine = { field: "input_per_1k_tokens", label: "Input", suffix: "per 1k tokens" };
const OUTPUT: PriceLine = { field: "output_per_1k_tokens", label: "Output", suffix: "per 1k tokens" };
const CACHED: PriceLine = {
  field: "cached_input_per_1k_tokens",
  label: "Input out of your cache",
  suffix: "per 1k tokens",
};
const WRITTEN: PriceLine = {
  field: "cache_write_per_1k_tokens",
  label: "Input into your cache",
  suffix: "per 1k tokens",
};
const REQUEST: PriceLine = { field: "per_request", label: "Each request", suffix: "per request" };
const IMAGE: PriceLine = { field: "per_image", label: "Each image", suffix: "per image" };
const SECOND: PriceLine = { field: "per_second", label: "Audio", suffix: "per second" };

const LINES: Readonly<Record<ModelType, readonly PriceLine[]>> = {
  text: [INPUT, OUTPUT, CACHED, WRITTEN, REQUEST],
  multimodal: [INPUT, OUTPUT, CACHED, WRITTEN, REQUEST, IMAGE, SECOND],
  embedding: [INPUT, REQUEST],
  image: [IMAGE, REQUEST, INPUT, OUTPUT],
  audio: [SECOND, REQUEST, INPUT, OUTPUT],
};
const NEEDED: Readonly<Record<ModelType, readonly PriceField[]>> = {
  text: ["input_per_1k_tokens", "output_per_1k_tokens"],
  multimodal: ["input_per_1k_tokens", "output_per_1k_tokens"],
  embedding: ["input_per_1k_tokens"],
  image: [],
  audio: [],
};

export interface PriceInputsProps {
  readonly form: ModelFormHandle;
}

/** What the model costs, with what that means for a thousand requests. */
export function PriceSection({ form }: PriceInputsProps) {
  return (
    <FormSection
      title="Price"
      description="In credits; one credit is one US dollar. A nought is free of charge, and empty is not said."
    >
      <PriceInputs form={form} />
    </FormSection>
  );
}

/** The prices of one type of model. */
export function PriceInputs({ form }: PriceInputsProps) {
  const { type, prices } = form.draft;
  const general = form.errorOn("pricing") ?? form.warningOn("pricing");
  return (
    <>
      {LINES[type].map(({ field, label, suffix }) => (
        <DraftNumber
          key={field}
          form={form}
          param={`pricing.${field}`}
          label={label}
          suffix={suffix}
          required={NEEDED[type].includes(field)}
          optional={!NEEDED[type].includes(field)}
          value={prices[field]}
          onValueChange={(value) => form.set({ prices: { ...prices, [field]: value } }, `pricing.${field}`)}
        />
      ))}
      {general !== undefined && (
        <p className="text-sm text-warning sm:col-span-2" data-param="pricing">
          {general}
        </p>
      )}
      <PricePreview type={type} prices={prices} />
    </>
  );
}

function PricePreview({ type, prices }: { readonly type: ModelType; readonly prices: Prices }) {
  const sample = sampleCost(type, prices);
  return (
    <p role="status" className="rounded-md bg-subtle px-3 py-2 text-sm sm:col-span-2">
      {sample === undefined ? (
        <span className="text-muted">Once it is priced, this says what 1,000 requests cost.</span>
      ) : (
        <>
          {sample.words} cost <strong className="font-semibold">{formatMoney(sample.credits)}</strong>.
        </>
      )}
    </p>
  );
}
