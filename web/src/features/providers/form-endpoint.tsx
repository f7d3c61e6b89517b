import { PasswordInput } from "../../ui/password-input.tsx";
import { Select } from "../../ui/select.tsx";
import { DraftField, DraftText, type ModelFormHandle } from "./form-fields.tsx";
import { FormSection } from "./form-sections.tsx";
import type { AuthType, Wire } from "./model-draft.ts";

const AUTHS: readonly { value: AuthType; label: string; description: string }[] = [
  { value: "bearer", label: "Bearer token", description: "Authorization: Bearer …" },
  { value: "x-api-key", label: "API key header", description: "x-api-key: …" },
  { value: "none", label: "None", description: "Open to whoever knows the address" },
];

const WIRES: readonly { value: Wire; label: string; description: string }[] = [
  { value: "trunkline", label: "Trunkline", description: "Our provider contract" },
  { value: "openai", label: "OpenAI", description: "OpenAI and everything compatible" },
  { value: "anthropic", label: "Anthropic", description: "The Messages API" },
  { value: "gemini", label: "Gemini", description: "Google's generateContent" },
  { value: "bedrock", label: "Bedrock", description: "AWS Bedrock" },
  { value: "cohere", label: "Cohere", description: "Cohere's API, version 2" },
];

export function EndpointSection({ form }: { readonly form: ModelFormHandle }) {
  const { draft } = form;
  const isOwnWire = draft.wire === "trunkline";
  const chooseWire = (wire: Wire) =>
    form.set({ wire, authType: draft.authType === "none" ? "none" : usualAuthOf(wire) }, "wire");
  return (
    <FormSection
      title="Endpoint and authentication"
      description="Where requests are sent, and how we prove that they are ours."
    >
      <DraftText
        form={form}
        param="endpoint"
        label="Endpoint"
        of="endpoint"
        mono
        required
        placeholder={isOwnWire ? "https://models.example.com/v1/generate" : "https://models.example.com/v1"}
        hint={
          isOwnWire
            ? "An https address that the internet can reach."
            : "The base URL of its API: an https address that the internet can reach."
        }
        className="sm:col-span-2"
      />
      <DraftField form={form} param="wire" label="Wire format" hint="What the endpoint speaks.">
        <Select value={draft.wire} options={WIRES} onValueChange={chooseWire} />
      </DraftField>
      <DraftText
        form={form}
        param="upstream_model"
        label="Upstream model"
        of="upstreamModel"
        mono
        optional
        hint="Its name there, where that is another than its name here."
      />
      <DraftField form={form} param="auth_type" label="Authentication" required>
        <Select
          value={draft.authType}
          options={AUTHS}
          onValueChange={(authType) => form.set({ authType }, "auth_type")}
        />
      </DraftField>
      {draft.authType !== "none" && (
        <DraftField
          form={form}
          param="credential"
          label="Credential"
          required={!form.hasCredential}
          hint={
            form.hasCredential
              ? "One is kept, and is never shown. Type a new one to replace it."
              : "Encrypted where it is kept, and never shown again."
          }
        >
          <PasswordInput
            autoComplete="off"
            placeholder={form.hasCredential ? "Unchanged" : ""}
            value={draft.credential}
            onChange={(event) => form.set({ credential: event.target.value }, "credential")}
          />
        </DraftField>
      )}
    </FormSection>
  );
}

/** How the makers of a format show a key; it can still be chosen otherwise. */
function usualAuthOf(wire: Wire): AuthType {
  return wire === "gemini" || wire === "anthropic" ? "x-api-key" : "bearer";
}
