import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { catalogueQuery } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Form, FormField, TextField } from "../../ui/form.tsx";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { realOffersOf } from "./overview-query.ts";

const TEXTS = texts.home.tryModel;

/** A message to one of the models, with its answer beside it. */
export function TryModel() {
  const maySend = usePermission("inference.use");
  const queries = useQueryClient();
  const { data = [] } = useQuery(catalogueQuery);
  const offers = realOffersOf(data);
  const first = offers[0]?.full_name;
  const form = useApiForm({
    values: { model: "", message: TEXTS.sample as string },
    send: async ({ model: chosen, message }) => {
      const start = performance.now();
      const body = { task: "chat", input: message, model: chosen || first } as const;
      const answer = await api.call("POST /v1/ai/request", { body });
      return { ...answer, ms: performance.now() - start };
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ["overview"] }),
  });
  const model = form.watch("model") || first;
  if (!maySend) return <p className="text-muted">{TEXTS.forbidden}</p>;
  return (
    <Form form={{ ...form, fault: undefined }} className="gap-3">
      <p className="text-muted">{TEXTS.text}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <FormField form={form} name="model" label={TEXTS.model}>
          {({ value, onChange }) => (
            <Combobox
              value={value || (first ?? "")}
              onValueChange={onChange}
              options={offers.map(({ full_name: name }) => ({ value: name, label: name }))}
            />
          )}
        </FormField>
        <TextField form={form} name="message" label={TEXTS.message} required maxLength={500} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" disabled={model === undefined} loading={form.isSending}>
          {TEXTS.send}
        </Button>
        <Link to="/playground" search={model === undefined ? {} : { model }} className={buttonClass("ghost")}>
          {TEXTS.playground}
        </Link>
      </div>
      <div role="status" className="grid gap-2 empty:hidden">
        {form.answer !== undefined && (
          <>
            <p className="max-h-48 overflow-y-auto rounded-md border border-line bg-subtle px-3 py-2 whitespace-pre-wrap wrap-anywhere">
              {form.answer.output}
            </p>
            <p className="text-sm text-muted">
              <Sentence
                text={TEXTS.answered}
                parts={{
                  model: form.answer.model_used,
                  latency: formatMs(form.answer.ms),
                  cost: <Money credits={form.answer.cost} />,
                }}
              />
            </p>
          </>
        )}
      </div>
      {form.fault !== undefined && (
        <Banner tone="danger" title={TEXTS.failed}>
          {form.fault}
        </Banner>
      )}
    </Form>
  );
}
