import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMs } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Money } from "../../ui/money.tsx";
import { realOffersOf } from "./overview-query.ts";

const TEXTS = texts.home.tryModel;

/** A message to one of the models, with its answer beside it. */
export function TryModel() {
  const maySend = usePermission("inference.use");
  const queries = useQueryClient();
  const { data = [] } = useQuery(catalogueQuery);
  const offers = realOffersOf(data);
  const [chosen, setChosen] = useState<string>();
  const [message, setMessage] = useState<string>(TEXTS.sample);
  const model = chosen ?? offers[0]?.full_name;
  const trial = useMutation({
    mutationFn: async (name: string) => {
      const start = performance.now();
      const answer = await api.call("POST /v1/ai/request", { body: { task: "chat", input: message, model: name } });
      return { ...answer, ms: performance.now() - start };
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ["overview"] }),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (model !== undefined && message.trim() !== "" && !trial.isPending) trial.mutate(model);
  }

  if (!maySend) return <p className="text-muted">{TEXTS.forbidden}</p>;
  return (
    <form onSubmit={submit} className="grid gap-3" noValidate>
      <p className="text-muted">{TEXTS.text}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={TEXTS.model}>
          <Combobox
            value={model ?? ""}
            onValueChange={setChosen}
            options={offers.map(({ full_name: name }) => ({ value: name, label: name }))}
          />
        </Field>
        <Field label={TEXTS.message}>
          <Input value={message} maxLength={500} onChange={(event) => setMessage(event.target.value)} />
        </Field>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" disabled={model === undefined} loading={trial.isPending}>
          {TEXTS.send}
        </Button>
        <Link to="/playground" search={model === undefined ? {} : { model }} className={buttonClass("ghost")}>
          {TEXTS.playground}
        </Link>
      </div>
      <div role="status" className="grid gap-2 empty:hidden">
        {trial.data !== undefined && (
          <>
            <p className="max-h-48 overflow-y-auto rounded-md border border-line bg-subtle px-3 py-2 whitespace-pre-wrap wrap-anywhere">
              {trial.data.output}
            </p>
            <p className="text-sm text-muted">
              <Sentence
                text={TEXTS.answered}
                parts={{
                  model: trial.data.model_used,
                  latency: formatMs(trial.data.ms),
                  cost: <Money credits={trial.data.cost} />,
                }}
              />
            </p>
          </>
        )}
      </div>
      {trial.error !== null && (
        <Banner tone="danger" title={TEXTS.failed}>
          {trial.error.message}
        </Banner>
      )}
    </form>
  );
}
