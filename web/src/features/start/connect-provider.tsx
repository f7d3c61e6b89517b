import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { catalogueQuery, type Offer } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { isFree, perMillion } from "../../api/pricing.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
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
  const [chosen, setChosen] = useState<string>();
  const [key, setKey] = useState("");
  // The list of providers may come after the key was pasted.
  const provider = chosen ?? guessProvider(key, providers?.data.map(({ id }) => id) ?? []) ?? "";
  const isReady = provider !== "" && key.trim() !== "";
  const connection = useMutation({
    mutationFn: () => api.call("POST /v1/provider-keys", { body: { provider, key: key.trim() } }),
    onSuccess: async () => {
      // The catalogue first: the next steps offer its models.
      await queries.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["overview"] });
      void queries.invalidateQueries({ queryKey: ["models"] });
      setKey("");
      onDone();
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && !connection.isPending) connection.mutate();
  }

  return (
    <form onSubmit={submit} className="grid gap-3" noValidate>
      <p className="text-muted">{TEXTS.text}</p>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Field label={TEXTS.key} hint={TEXTS.keyHint}>
          <PasswordInput
            mono
            value={key}
            maxLength={8192}
            autoComplete="off"
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        <Field label={TEXTS.provider}>
          <NativeSelect value={provider} onChange={(event) => setChosen(event.target.value)}>
            <option value="">{TEXTS.selectProvider}</option>
            {providers?.data.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </NativeSelect>
        </Field>
      </div>
      {connection.error !== null && <Banner tone="danger">{connection.error.message}</Banner>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" disabled={!isReady} loading={connection.isPending}>
          {TEXTS.connect}
        </Button>
        {mayRegister && (
          <Link to="/providers" className={buttonClass("ghost")}>
            {TEXTS.other}
          </Link>
        )}
      </div>
    </form>
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
