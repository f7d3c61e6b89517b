import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Input } from "../../ui/input.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { Select } from "../../ui/select.tsx";
import { DraftField, DraftText, type ModelFormHandle } from "./form-fields.tsx";
import { FormSection } from "./form-sections.tsx";
import { type AuthType, splitEndpoint, type Wire } from "./model-draft.ts";

const TEXTS = texts.providerForm.formEndpoint;

const AUTHS: readonly { value: AuthType; label: string; description: string }[] = [
  { value: "bearer", label: TEXTS.bearerToken, description: TEXTS.authorizationBearer },
  { value: "x-api-key", label: TEXTS.apiKeyHeader, description: TEXTS.xApiKey },
  { value: "none", label: TEXTS.none, description: TEXTS.openToWhoeverKnows },
];

const WIRES: readonly { value: Wire; label: string; description: string }[] = [
  { value: "trunkline", label: TEXTS.trunkline, description: TEXTS.ourProviderContract },
  { value: "openai", label: TEXTS.openai, description: TEXTS.openaiAndEverythingCompatible },
  { value: "anthropic", label: TEXTS.anthropic, description: TEXTS.theMessagesApi },
  { value: "gemini", label: TEXTS.gemini, description: TEXTS.googlesGeneratecontent },
  { value: "bedrock", label: TEXTS.bedrock, description: TEXTS.awsBedrock },
  { value: "cohere", label: TEXTS.cohere, description: TEXTS.coheresApiVersion },
];

/** What it speaks, where it is, and its key. */
export function EndpointSection({ form }: { readonly form: ModelFormHandle }) {
  const { draft } = form;
  const [cut, setCut] = useState<string>();
  const isOwnWire = draft.wire === "trunkline";
  const chooseWire = (wire: Wire) =>
    form.set({ wire, authType: draft.authType === "none" ? "none" : usualAuthOf(wire) }, "wire");
  const typeEndpoint = (text: string) => {
    const { base, operation } = splitEndpoint(text, draft.wire);
    setCut(operation);
    form.set({ endpoint: base }, "endpoint");
  };
  return (
    <FormSection title={TEXTS.endpointAndAuthentication} description={TEXTS.whereRequestsAreSent}>
      <DraftField form={form} param="wire" label={TEXTS.wireFormat} hint={TEXTS.whatTheEndpointSpeaks}>
        <Select value={draft.wire} options={WIRES} onValueChange={chooseWire} />
      </DraftField>
      <DraftField
        form={form}
        param="endpoint"
        label={isOwnWire ? TEXTS.url : TEXTS.endpoint}
        required
        hint={cut !== undefined ? TEXTS.cut(cut) : isOwnWire ? TEXTS.anHttpsAddressThat : TEXTS.theBaseUrlOf}
      >
        <Input
          mono
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={isOwnWire ? "https://models.example.com/v1/generate" : "https://models.example.com/v1"}
          value={draft.endpoint}
          onChange={(event) => typeEndpoint(event.target.value)}
        />
      </DraftField>
      {draft.authType !== "none" && (
        <DraftField
          form={form}
          param="credential"
          label={TEXTS.credential}
          required={!form.hasCredential}
          hint={form.hasCredential ? TEXTS.oneIsKeptAnd : TEXTS.encryptedWhereItIs}
          className="sm:col-span-2"
        >
          <PasswordInput
            autoComplete="off"
            placeholder={form.hasCredential ? TEXTS.unchanged : ""}
            value={draft.credential}
            onChange={(event) => form.set({ credential: event.target.value }, "credential")}
          />
        </DraftField>
      )}
    </FormSection>
  );
}

/** What of the connection is rarely changed. */
export function ConnectionDetails({ form }: { readonly form: ModelFormHandle }) {
  return (
    <FormSection title={TEXTS.authentication} description={TEXTS.authenticationText}>
      <DraftField form={form} param="auth_type" label={TEXTS.authentication} required>
        <Select
          value={form.draft.authType}
          options={AUTHS}
          onValueChange={(authType) => form.set({ authType }, "auth_type")}
        />
      </DraftField>
      <DraftText
        form={form}
        param="upstream_model"
        label={TEXTS.upstreamModel}
        of="upstreamModel"
        mono
        optional
        hint={TEXTS.itsNameThereWhere}
      />
    </FormSection>
  );
}

/** How the makers of a format show a key; it can still be chosen otherwise. */
function usualAuthOf(wire: Wire): AuthType {
  return wire === "gemini" || wire === "anthropic" ? "x-api-key" : "bearer";
}
