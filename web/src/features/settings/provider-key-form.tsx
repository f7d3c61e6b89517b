import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormField, FormValue, PasswordField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { toast } from "../../ui/toast.tsx";
import { keyProvidersQuery, providerKeysQuery } from "./provider-key-queries.ts";

const TEXTS = texts.settings.providerKeys;

/** The form by which a key for a provider is stored. It is never shown again. */
export function ProviderKeyForm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { data: providers } = useQuery(keyProvidersQuery);
  const form = useApiForm({
    values: { provider: "", key: "", fallback: false },
    send: ({ provider, key, fallback }) =>
      api.call("POST /v1/provider-keys", { body: { provider, key: key.trim(), fallback } }),
    onSent: async () => {
      await queries.invalidateQueries({ queryKey: providerKeysQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["models"] });
      await queries.invalidateQueries({ queryKey: ["catalogue"] });
      onClose();
      toast({ title: TEXTS.stored });
    },
  });
  return (
    <FormDialog form={form} title={TEXTS.add} submitLabel={TEXTS.add} onClose={onClose}>
      <FormField form={form} name="provider" label={TEXTS.provider} required>
        {(field) => (
          <NativeSelect {...field}>
            <option value="">{TEXTS.choose}</option>
            {providers?.data.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </NativeSelect>
        )}
      </FormField>
      <PasswordField
        form={form}
        name="key"
        label={TEXTS.key}
        hint={TEXTS.keyHint}
        required
        mono
        maxLength={8192}
        autoComplete="off"
      />
      <FormValue form={form} name="fallback">
        {({ value, onChange }) => (
          <Checkbox
            label={TEXTS.fallback}
            description={TEXTS.fallbackHint}
            checked={value}
            onCheckedChange={onChange}
          />
        )}
      </FormValue>
    </FormDialog>
  );
}
