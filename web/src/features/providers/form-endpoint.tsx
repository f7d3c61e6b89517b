import { texts } from "../../texts/texts.ts";
import { PasswordInput } from "../../ui/password-input.tsx";
import { Select } from "../../ui/select.tsx";
import { DraftField, DraftText, type ModelFormHandle } from "./form-fields.tsx";
import { FormSection } from "./form-sections.tsx";
import type { AuthType, Wire } from "./model-draft.ts";

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

export function EndpointSection({ form }: { readonly form: ModelFormHandle }) {
  const { draft } = form;
  const isOwnWire = draft.wire === "trunkline";
  const chooseWire = (wire: Wire) =>
    form.set({ wire, authType: draft.authType === "none" ? "none" : usualAuthOf(wire) }, "wire");
  return (
    <FormSection title={TEXTS.endpointAndAuthentication} description={TEXTS.whereRequestsAreSent}>
      <DraftText
        form={form}
        param="endpoint"
        label={TEXTS.endpoint}
        of="endpoint"
        mono
        required
        placeholder={isOwnWire ? "https://models.example.com/v1/generate" : "https://models.example.com/v1"}
        hint={isOwnWire ? TEXTS.anHttpsAddressThat : TEXTS.theBaseUrlOf}
        className="sm:col-span-2"
      />
      <DraftField form={form} param="wire" label={TEXTS.wireFormat} hint={TEXTS.whatTheEndpointSpeaks}>
        <Select value={draft.wire} options={WIRES} onValueChange={chooseWire} />
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
      <DraftField form={form} param="auth_type" label={TEXTS.authentication} required>
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
          label={TEXTS.credential}
          required={!form.hasCredential}
          hint={form.hasCredential ? TEXTS.oneIsKeptAnd : TEXTS.encryptedWhereItIs}
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

/** How the makers of a format show a key; it can still be chosen otherwise. */
function usualAuthOf(wire: Wire): AuthType {
  return wire === "gemini" || wire === "anthropic" ? "x-api-key" : "bearer";
}
