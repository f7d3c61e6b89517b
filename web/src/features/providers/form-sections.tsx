import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { DraftField, DraftNumber, DraftText, type ModelFormHandle } from "./form-fields.tsx";
import { LIMIT_FIELDS, type LimitField, type ModelType } from "./model-draft.ts";

const TYPES: readonly { value: ModelType; label: string; description: string }[] = [
  { value: "text", label: "Text", description: "Chat, writing, code, analysis" },
  { value: "image", label: "Image", description: "Makes pictures" },
  { value: "audio", label: "Audio", description: "Speaks, or hears" },
  { value: "multimodal", label: "Multimodal", description: "Takes attachments beside text" },
  { value: "embedding", label: "Embedding", description: "Makes vectors" },
];

const LEVELS = [
  { value: "high", label: "High" },
  { value: "medium", label: "Medium" },
  { value: "low", label: "Low" },
];

const LIMITS: Readonly<Record<LimitField, { label: string; suffix: string; placeholder: string }>> = {
  connect_ms: { label: "To connect", suffix: "ms", placeholder: "3000" },
  first_byte_ms: { label: "To the first byte", suffix: "ms", placeholder: "30000" },
  silence_ms: { label: "Between two pieces", suffix: "ms", placeholder: "60000" },
  whole_ms: { label: "Altogether", suffix: "ms", placeholder: "300000" },
  response_bytes: { label: "Size of an answer", suffix: "bytes", placeholder: "10485760" },
  chunk_bytes: { label: "Size of one piece", suffix: "bytes", placeholder: "1048576" },
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
    <FormSection title="Identity" description="How clients find and name it.">
      <DraftText
        form={form}
        param="name"
        label="Name"
        of="name"
        mono
        required
        disabled={form.isChange}
        placeholder="my-model-1"
        hint={form.isChange ? "A name stays what it is." : "Letters, digits and . _ : - as clients will write it."}
      />
      <DraftField form={form} param="type" label="Type" required>
        <Select value={form.draft.type} options={TYPES} onValueChange={(type) => form.set({ type }, "type")} />
      </DraftField>
      <DraftField
        form={form}
        param="description"
        label="Description"
        optional
        hint="What it is good for, in a sentence or two."
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
    <FormSection title="Capabilities" description="What it can do. Requests for such work find it first.">
      <DraftText
        form={form}
        param="capabilities"
        label="Capabilities"
        of="capabilities"
        optional
        placeholder="chat, coding"
        hint="Separated by commas."
      />
      <DraftText
        form={form}
        param="specialties"
        label="Specialties"
        of="specialties"
        optional
        placeholder="contracts, haiku"
        hint="Separated by commas."
      />
      <DraftNumber
        form={form}
        param="context_window"
        label="Context window"
        optional
        suffix="tokens"
        value={draft.contextWindow}
        onValueChange={(contextWindow) => form.set({ contextWindow }, "context_window")}
      />
      <DraftNumber
        form={form}
        param="max_output_tokens"
        label="Longest answer"
        optional
        suffix="tokens"
        value={draft.maxOutputTokens}
        onValueChange={(maxOutputTokens) => form.set({ maxOutputTokens }, "max_output_tokens")}
      />
      <div data-param="streaming" className="sm:col-span-2">
        <Checkbox
          label="It streams its answers piece by piece"
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
    <FormSection
      title="Limits"
      description="How long we wait and how much we take. What is left empty keeps the usual value."
    >
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
    <FormSection
      title="Routing"
      description="What you claim of it. Measured times replace the claim as requests come in."
    >
      <DraftNumber
        form={form}
        param="performance.accuracy_score"
        label="Accuracy score"
        optional
        hint="0 to 1."
        value={draft.accuracy}
        onValueChange={(accuracy) => form.set({ accuracy }, "performance.accuracy_score")}
      />
      <DraftNumber
        form={form}
        param="performance.avg_latency_ms"
        label="Average time of an answer"
        optional
        suffix="ms"
        value={draft.latencyMs}
        onValueChange={(latencyMs) => form.set({ latencyMs }, "performance.avg_latency_ms")}
      />
      <DraftField form={form} param="cost_efficiency" label="Cost efficiency" optional>
        <Select
          value={draft.costEfficiency === "" ? undefined : draft.costEfficiency}
          options={LEVELS}
          placeholder="Not said"
          onValueChange={(costEfficiency) => form.set({ costEfficiency }, "cost_efficiency")}
        />
      </DraftField>
      <DraftText
        form={form}
        param="backups"
        label="Backups"
        of="backups"
        optional
        hint="Models to try when this one fails, separated by commas."
      />
    </FormSection>
  );
}
