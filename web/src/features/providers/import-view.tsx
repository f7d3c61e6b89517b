import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { Search } from "lucide-react";
import { useState } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Field } from "../../ui/field.tsx";
import { Form, FormField, PasswordField, TextField } from "../../ui/form.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Page } from "../../ui/page.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { toast } from "../../ui/toast.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { BackToProviders } from "./back-link.tsx";
import { type ImportRow, importedModelOf, lacksPrice, rowAtFault, rowsOf } from "./import-draft.ts";
import { ImportRowView } from "./import-row.tsx";
import { CancelLink } from "./model-form.tsx";
import { ownModelsQuery } from "./provider-queries.ts";

const TEXTS = texts.modelImport;

/** The formats whose endpoints list their models. */
const WIRES = ["openai", "anthropic", "gemini", "cohere"] as const;
type Wire = (typeof WIRES)[number];

interface Connection {
  readonly wire: Wire;
  readonly endpoint: string;
  readonly credential?: string;
}

/** Lists the models at an endpoint and registers those that are chosen. */
export function ImportView() {
  const [connection, setConnection] = useState<Connection>();
  const [rows, setRows] = useState<readonly ImportRow[]>([]);
  return (
    <Page title={TEXTS.title} description={TEXTS.description} above={<BackToProviders />}>
      {connection === undefined ? (
        <ConnectionForm
          onFound={(found, at) => {
            setRows(rowsOf(found));
            setConnection(at);
          }}
        />
      ) : (
        <ChoiceForm connection={connection} rows={rows} onRows={setRows} onBack={() => setConnection(undefined)} />
      )}
    </Page>
  );
}

interface ConnectionFormProps {
  readonly onFound: (found: Parameters<typeof rowsOf>[0], at: Connection) => void;
}

function ConnectionForm({ onFound }: ConnectionFormProps) {
  const form = useApiForm({
    values: { wire: "openai" as Wire, endpoint: "", credential: "" },
    send: (values) => api.call("POST /v1/provider/models/discover", { body: connectionOf(values) }),
    onSent: (found, values) => onFound(found.data, { ...connectionOf(values), endpoint: found.endpoint }),
  });
  return (
    <Card className="max-w-3xl">
      <Form form={form}>
        <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <FormField form={form} name="wire" label={TEXTS.wire}>
            {(field) => (
              <NativeSelect {...field}>
                {WIRES.map((value) => (
                  <option key={value} value={value}>
                    {texts.providerForm.formEndpoint[WIRE_LABELS[value]]}
                  </option>
                ))}
              </NativeSelect>
            )}
          </FormField>
          <TextField
            form={form}
            name="endpoint"
            label={TEXTS.endpoint}
            hint={TEXTS.endpointHint}
            required
            mono
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <PasswordField
          form={form}
          name="credential"
          label={TEXTS.key}
          hint={TEXTS.keyHint}
          mono
          autoComplete="off"
          maxLength={8_192}
        />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button type="submit" variant="primary" loading={form.isSending}>
            {TEXTS.find}
          </Button>
          <Link to="/providers" search={{ register: true }} className={TEXT_LINK}>
            {TEXTS.single}
          </Link>
          {form.isSending && (
            <span role="status" className="text-sm text-muted">
              {TEXTS.finding}
            </span>
          )}
        </div>
      </Form>
    </Card>
  );
}

function connectionOf({ wire, endpoint, credential = "" }: Connection): Connection {
  const key = credential.trim();
  return { wire, endpoint: endpoint.trim(), ...(key === "" ? {} : { credential: key }) };
}

const WIRE_LABELS = {
  openai: "openaiAndEverythingCompatible",
  anthropic: "anthropic",
  gemini: "gemini",
  cohere: "cohere",
} as const;

interface ChoiceFormProps {
  readonly connection: Connection;
  readonly rows: readonly ImportRow[];
  readonly onRows: (rows: readonly ImportRow[]) => void;
  readonly onBack: () => void;
}

function ChoiceForm({ connection, rows, onRows, onBack }: ChoiceFormProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [search, setSearch] = useState("");
  const chosen = rows.filter(({ isChosen }) => isChosen);
  const unpriced = chosen.filter(lacksPrice);
  const words = search.trim().toLowerCase();
  const shown = rows.filter(({ found, name }) => `${name} ${found.upstream_model}`.toLowerCase().includes(words));
  const selectable = shown.filter(({ found }) => !found.registered);
  const form = useApiForm({
    values: {},
    send: () =>
      api.call("POST /v1/provider/models/import", { body: { ...connection, models: chosen.map(importedModelOf) } }),
    onSent: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
      void queries.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      const isPending = data.some(({ state }) => state === "pending");
      toast({
        tone: "positive",
        title: TEXTS.done(data.length),
        description: isPending ? TEXTS.donePending : TEXTS.doneText,
      });
      await navigate({ to: "/providers", search: {}, ignoreBlocker: true });
    },
  });
  const faulty = rowAtFault(form.error instanceof ApiError ? form.error.param : undefined, chosen);
  const change = (row: ImportRow, patch: Partial<ImportRow>) =>
    onRows(rows.map((known) => (known === row ? { ...known, ...patch } : known)));
  const areAllChosen = selectable.length > 0 && selectable.every(({ isChosen }) => isChosen);
  return (
    <Form form={{ ...form, fault: undefined }}>
      <UnsavedGuard when={!form.isSending && form.answer === undefined && chosen.length > 0} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="text-muted wrap-anywhere">{TEXTS.corrected(connection.endpoint)}</p>
        <button type="button" className={TEXT_LINK} onClick={onBack}>
          {TEXTS.change}
        </button>
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Field label={TEXTS.search} hideLabel className="w-full sm:w-72">
          <Input
            type="search"
            icon={<Search />}
            placeholder={TEXTS.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </Field>
        <Checkbox
          label={TEXTS.all}
          checked={areAllChosen}
          disabled={selectable.length === 0}
          onCheckedChange={(isOn) =>
            onRows(rows.map((row) => (selectable.includes(row) ? { ...row, isChosen: isOn } : row)))
          }
        />
        <p role="status" className="text-sm text-muted sm:ml-auto">
          {TEXTS.found(rows.length)}
        </p>
      </div>
      {shown.length === 0 ? (
        <p className="rounded-lg border border-line bg-surface px-4 py-8 text-center text-muted">{TEXTS.none}</p>
      ) : (
        <ul aria-label={TEXTS.title} className="divide-y divide-line rounded-lg border border-line bg-surface">
          {shown.map((row) => (
            <ImportRowView
              key={row.found.upstream_model}
              row={row}
              error={row === faulty ? form.error?.message : undefined}
              onChange={(patch) => change(row, patch)}
            />
          ))}
        </ul>
      )}
      {form.error !== null && (
        <Banner tone="danger" title={TEXTS.failed}>
          {faulty === undefined ? "" : `${faulty.name}: `}
          {errorBeside(form.error, [])}
        </Banner>
      )}
      <div className="sticky bottom-3 z-20 flex flex-wrap items-center justify-end gap-3 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-overlay">
        <p role="status" className="mr-auto text-sm text-muted">
          {unpriced.length > 0 ? TEXTS.missing(unpriced.length) : TEXTS.selected(chosen.length)}
        </p>
        {unpriced.length > 0 && (
          <Button
            onClick={() =>
              onRows(
                rows.map((row) =>
                  unpriced.includes(row) ? { ...row, input: row.input ?? 0, output: row.output ?? 0 } : row,
                ),
              )
            }
          >
            {TEXTS.setFree}
          </Button>
        )}
        <CancelLink />
        <Button
          type="submit"
          variant="primary"
          loading={form.isSending}
          disabled={chosen.length === 0 || unpriced.length > 0}
        >
          {TEXTS.submit(chosen.length)}
        </Button>
      </div>
    </Form>
  );
}
