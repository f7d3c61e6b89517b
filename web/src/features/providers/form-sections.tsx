import type { ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { DraftField, DraftNumber, DraftText, type ModelFormHandle } from "./form-fields.tsx";
import { LIMIT_FIELDS, type LimitField, type ModelType } from "./model-draft.ts";

const TEXTS = texts.providerForm.formSections;

const TYPES: readonly { value: ModelType; label: string; description: string }[] = [
  { value: "text", label: TEXTS.text, description: TEXTS.chatWritingCodeAnalysis },
  { value: "image", label: TEXTS.image, description: TEXTS.makesPictures },
  { value: "audio", label: TEXTS.audio, description: TEXTS.speaksOrHears },
  { value: "multimodal", label: TEXTS.multimodal, description: TEXTS.takesAttachmentsBesideText },
  { value: "embedding", label: TEXTS.embedding, description: TEXTS.makesVectors },
];

const LEVELS = [
  { value: "high", label: TEXTS.high },
  { value: "medium", label: TEXTS.medium },
  { value: "low", label: TEXTS.low },
];

const LIMITS: Readonly<Record<LimitField, { label: string; suffix: string; placeholder: string }>> = {
  connect_ms: { label: TEXTS.toConnect, suffix: "ms", placeholder: "3000" },
  first_byte_ms: { label: TEXTS.toTheFirstByte, suffix: "ms", placeholder: "30000" },
  silence_ms: { label: TEXTS.betweenTwoPieces, suffix: "ms", placeholder: "60000" },
  whole_ms: { label: TEXTS.altogether, suffix: "ms", placeholder: "300000" },
  response_bytes: { label: TEXTS.sizeOfAnAnswer, suffix: "bytes", placeholder: "10485760" },
  chunk_bytes: { label: TEXTS.sizeOfOnePiece, suffix: "bytes", placeholder: "1048576" },
};

/** A part of the form with a frame around its fields. */
export function FormSection(props: { title: string; description: ReactNode; children: ReactNode }) {
  return (
    <Section title={props.title} description={props.description}>
      <Card className="grid items-start gap-4 sm:grid-cols-2">{props.children}</Card>
    </Section>
  );
}

export function IdentitySection({ form }: { readonly form: ModelFormHandle }) {
  return (
    <FormSection title={TEXTS.identity} description={TEXTS.howClientsFindAnd}>
      <DraftText
        form={form}
        param="name"
        label={TEXTS.name}
        of="name"
        mono
        required
        disabled={form.isChange}
        placeholder={TEXTS.myModel}
        hint={form.isChange ? TEXTS.aNameStaysWhat : TEXTS.lettersDigitsAndAs}
      />
      <DraftField form={form} param="type" label={TEXTS.type} required>
        <Select value={form.draft.type} options={TYPES} onValueChange={(type) => form.set({ type }, "type")} />
      </DraftField>
      <DraftField
        form={form}
        param="description"
        label={TEXTS.description}
        optional
        hint={TEXTS.whatItIsGood}
        className="sm:col-span-2"
      >
        <Textarea
          rows={2}
          value={form.draft.description}
          onChange={(event) => form.set({ description: event.target.value }, "description")}
        />
      </DraftField>
    </FormSection>
  );
}

export function CapabilitySection({ form }: { readonly form: ModelFormHandle }) {
  const { draft } = form;
  return (
    <FormSection title={TEXTS.capabilities} description={TEXTS.whatItCanDo}>
      <DraftText
        form={form}
        param="capabilities"
        label={TEXTS.capabilities}
        of="capabilities"
        optional
        placeholder={TEXTS.chatCoding}
        hint={TEXTS.separatedByCommas}
      />
      <DraftText
        form={form}
        param="specialties"
        label={TEXTS.specialties}
        of="specialties"
        optional
        placeholder={TEXTS.contractsHaiku}
        hint={TEXTS.separatedByCommas}
      />
      <DraftNumber
        form={form}
        param="context_window"
        label={TEXTS.contextWindow}
        optional
        suffix={TEXTS.tokens}
        value={draft.contextWindow}
        onValueChange={(contextWindow) => form.set({ contextWindow }, "context_window")}
      />
      <DraftNumber
        form={form}
        param="max_output_tokens"
        label={TEXTS.longestAnswer}
        optional
        suffix={TEXTS.tokens}
        value={draft.maxOutputTokens}
        onValueChange={(maxOutputTokens) => form.set({ maxOutputTokens }, "max_output_tokens")}
      />
      <div data-param="streaming" className="sm:col-span-2">
        <Checkbox
          label={TEXTS.itStreamsItsAnswers}
          checked={draft.streaming}
          onCheckedChange={(streaming) => form.set({ streaming }, "streaming")}
        />
      </div>
    </FormSection>
  );
}

export function LimitSection({ form }: { readonly form: ModelFormHandle }) {
  const { limits } = form.draft;
  return (
    <FormSection title={TEXTS.limits} description={TEXTS.howLongWeWait}>
      {LIMIT_FIELDS.map((field) => (
        <DraftNumber
          key={field}
          form={form}
          param={`limits.${field}`}
          optional
          {...LIMITS[field]}
          value={limits[field]}
          onValueChange={(value) => form.set({ limits: { ...limits, [field]: value } }, `limits.${field}`)}
        />
      ))}
    </FormSection>
  );
}

export function RoutingSection({ form }: { readonly form: ModelFormHandle }) {
  const { draft } = form;
  return (
    <FormSection title={TEXTS.routing} description={TEXTS.whatYouClaimOf}>
      <DraftNumber
        form={form}
        param="performance.accuracy_score"
        label={TEXTS.accuracyScore}
        optional
        hint={TEXTS.to}
        value={draft.accuracy}
        onValueChange={(accuracy) => form.set({ accuracy }, "performance.accuracy_score")}
      />
      <DraftNumber
        form={form}
        param="performance.avg_latency_ms"
        label={TEXTS.averageTimeOfAn}
        optional
        suffix={TEXTS.ms}
        value={draft.latencyMs}
        onValueChange={(latencyMs) => form.set({ latencyMs }, "performance.avg_latency_ms")}
      />
      <DraftField form={form} param="cost_efficiency" label={TEXTS.costEfficiency} optional>
        <Select
          value={draft.costEfficiency === "" ? undefined : draft.costEfficiency}
          options={LEVELS}
          placeholder={TEXTS.notSaid}
          onValueChange={(costEfficiency) => form.set({ costEfficiency }, "cost_efficiency")}
        />
      </DraftField>
      <DraftText form={form} param="backups" label={TEXTS.backups} of="backups" optional hint={TEXTS.modelsToTryWhen} />
    </FormSection>
  );
}
