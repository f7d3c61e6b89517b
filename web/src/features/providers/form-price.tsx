import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { formatMoney } from "../../ui/format.ts";
import { DraftNumber, type ModelFormHandle } from "./form-fields.tsx";
import { FormSection } from "./form-sections.tsx";
import type { ModelType, PriceField, Prices } from "./model-draft.ts";
import { sampleCost } from "./price-words.ts";

const TEXTS = texts.providerForm.formPrice;

interface PriceLine {
  readonly field: PriceField;
  readonly label: string;
  readonly suffix: string;
}

const INPUT: PriceLine = { field: "input_per_1k_tokens", label: TEXTS.input, suffix: TEXTS.perKTokens };
const OUTPUT: PriceLine = { field: "output_per_1k_tokens", label: TEXTS.output, suffix: TEXTS.perKTokens };
const CACHED: PriceLine = {
  field: "cached_input_per_1k_tokens",
  label: TEXTS.inputOutOfYour,
  suffix: TEXTS.perKTokens,
};
const WRITTEN: PriceLine = {
  field: "cache_write_per_1k_tokens",
  label: TEXTS.inputIntoYourCache,
  suffix: TEXTS.perKTokens,
};
const REQUEST: PriceLine = { field: "per_request", label: TEXTS.eachRequest, suffix: TEXTS.perRequest };
const IMAGE: PriceLine = { field: "per_image", label: TEXTS.eachImage, suffix: TEXTS.perImage };
const SECOND: PriceLine = { field: "per_second", label: TEXTS.audio, suffix: TEXTS.perSecond };

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
    <FormSection title={TEXTS.price} description={TEXTS.inCreditsOneCredit}>
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
        <span className="text-muted">{TEXTS.onceItIsPriced}</span>
      ) : (
        <Sentence
          text={TEXTS.cost}
          parts={{
            words: sample.words,
            strong: <strong className="font-semibold">{formatMoney(sample.credits)}</strong>,
          }}
        />
      )}
    </p>
  );
}
