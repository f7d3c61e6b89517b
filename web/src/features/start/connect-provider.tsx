import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { catalogueQuery, type Offer } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { isFree, perMillion } from "../../api/pricing.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Form, FormField, PasswordField } from "../../ui/form.tsx";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { guessProvider } from "./guess-provider.ts";
import { askedPricing, keyProvidersQuery, realOffersOf } from "./overview-query.ts";

const TEXTS = texts.home.connect;
const REFETCH_MS = 2_000;
/** How many models are shown as examples. */
const SHOWN = 4;

/** A provider's key is pasted, and its models appear. */
export function ConnectProvider({ isDone }: { readonly isDone: boolean }) {
  const mayConnect = usePermission("settings.change");
  const [isAdding, setIsAdding] = useState(false);
  if (isDone && !isAdding)
    return (
      <div className="grid gap-3">
        <Examples />
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
          <Link to="/models" className={TEXT_LINK}>
            {TEXTS.viewAll}
          </Link>
          {mayConnect && (
            <button type="button" className={TEXT_LINK} onClick={() => setIsAdding(true)}>
              {TEXTS.connectMore}
            </button>
          )}
        </p>
      </div>
    );
  if (!mayConnect) return <p className="text-muted">{TEXTS.forbidden}</p>;
  return <ConnectForm onDone={() => setIsAdding(false)} />;
}

function ConnectForm({ onDone }: { readonly onDone: () => void }) {
  const queries = useQueryClient();
  const mayRegister = usePermission("provider.change");
  const { data: providers } = useQuery(keyProvidersQuery);
  const form = useApiForm({
    values: { provider: "", key: "" },
    send: ({ provider, key }) =>
      api.call("POST /v1/provider-keys", { body: { provider: provider || guess(key), key: key.trim() } }),
    onSent: async () => {
      // The catalogue first: the next steps offer its models.
      await queries.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["overview"] });
      void queries.invalidateQueries({ queryKey: ["models"] });
      form.reset();
      onDone();
    },
  });
  // The list of providers may come after the key was pasted.
  const guess = (key: string) => guessProvider(key, providers?.data.map(({ id }) => id) ?? []) ?? "";
  return (
    <Form form={form} className="gap-3">
      <p className="text-muted">{TEXTS.text}</p>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
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
        <FormField
          form={form}
          name="provider"
          label={TEXTS.provider}
          check={(provider, { key }) => (provider === "" && guess(key) === "" ? texts.common.fieldRequired : undefined)}
        >
          {(field) => (
            <NativeSelect {...field} value={field.value || guess(form.watch("key"))}>
              <option value="">{TEXTS.selectProvider}</option>
              {providers?.data.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </NativeSelect>
          )}
        </FormField>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" loading={form.isSending}>
          {TEXTS.connect}
        </Button>
        {mayRegister && (
          <Link to="/providers" className={buttonClass("ghost")}>
            {TEXTS.other}
          </Link>
        )}
      </div>
    </Form>
  );
}

/** How many models there are now, and what some of them cost. */
function Examples() {
  const { data = [] } = useQuery({
    ...catalogueQuery,
    // A provider's models may come a moment after its key was stored.
    refetchInterval: ({ state }) => (realOffersOf(state.data ?? []).length === 0 ? REFETCH_MS : false),
  });
  const offers = realOffersOf(data);
  if (offers.length === 0) return null;
  return (
    <>
      <p className="text-muted">{TEXTS.done(offers.length)}</p>
      <ul className="grid divide-y divide-line rounded-md border border-line">
        {offers.slice(0, SHOWN).map((offer) => (
          <li
            key={offer.full_name}
            className="flex flex-wrap items-baseline justify-between gap-x-4 px-3 py-1.5 text-sm"
          >
            <Link to="/models/$" params={{ _splat: offer.full_name }} className={`${TEXT_LINK} wrap-anywhere`}>
              {offer.full_name}
            </Link>
            <span className="text-muted">
              <Price offer={offer} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Price({ offer }: { readonly offer: Offer }) {
  const pricing = askedPricing(offer);
  if (isFree(pricing)) return <>{offer.own_key ? TEXTS.free : TEXTS.freeModel}</>;
  return (
    <Sentence
      text={TEXTS.price}
      parts={{
        input: <Money credits={perMillion(pricing.input_per_1k_tokens ?? 0)} />,
        output: <Money credits={perMillion(pricing.output_per_1k_tokens ?? 0)} />,
      }}
    />
  );
}
