import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { toast } from "../../ui/toast.tsx";
import { keyProvidersQuery, providerKeysQuery } from "./provider-key-queries.ts";

const TEXTS = texts.settings.providerKeys;

/** The form by which a key for a provider is stored. It is never shown again. */
export function ProviderKeyForm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { data: providers } = useQuery(keyProvidersQuery);
  const [provider, setProvider] = useState("");
  const [key, setKey] = useState("");
  const [fallback, setFallback] = useState(false);
  const isReady = provider !== "" && key.trim() !== "";
  const save = useMutation({
    mutationFn: () => api.call("POST /v1/provider-keys", { body: { provider, key: key.trim(), fallback } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: providerKeysQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["models"] });
      await queries.invalidateQueries({ queryKey: ["catalogue"] });
      onClose();
      toast({ title: TEXTS.stored });
    },
  });
  const fault = errorBeside(save.error, ["provider", "key"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && !save.isPending) save.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.add}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" form="provider-key" variant="primary" loading={save.isPending} disabled={!isReady}>
            {TEXTS.add}
          </Button>
        </>
      }
    >
      <form id="provider-key" className="grid gap-4" onSubmit={submit} noValidate>
        <Field label={TEXTS.provider} error={errorAt(save.error, "provider")}>
          <NativeSelect value={provider} onChange={(event) => setProvider(event.target.value)}>
            <option value="">{TEXTS.choose}</option>
            {providers?.data.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </NativeSelect>
        </Field>
        <Field label={TEXTS.key} hint={TEXTS.keyHint} error={errorAt(save.error, "key")}>
          <PasswordInput
            mono
            value={key}
            maxLength={8192}
            autoComplete="off"
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        <Checkbox
          label={TEXTS.fallback}
          description={TEXTS.fallbackHint}
          checked={fallback}
          onCheckedChange={setFallback}
        />
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
