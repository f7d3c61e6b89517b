import type { BodyOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { FormValue, NumberField, PasswordField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { Switch } from "../../ui/switch.tsx";
import { type LogSink, logSinksQuery } from "./hook-queries.ts";
import { ReceiverSecret, useReceiverForm } from "./receivers.tsx";

const TEXTS = texts.hooks.sinks;

type Kind = LogSink["kind"];
type SinkBody = BodyOf<"POST /v1/log-sinks">;

const KINDS: readonly Kind[] = ["otlp", "http", "s3"];

/** The form of a destination of the organisation's logs. */
export function LogSinkForm({ sink, onClose }: { readonly sink: LogSink | undefined; readonly onClose: () => void }) {
  const form = useReceiverForm({
    values: {
      kind: (sink?.kind ?? "otlp") as Kind,
      url: sink?.url ?? "",
      headers: "",
      region: sink?.region ?? "",
      access_key_id: sink?.access_key_id ?? "",
      secret_access_key: "",
      include_content: sink?.include_content ?? false,
      share: ((sink?.share ?? 1) * 100) as number | undefined,
      description: sink?.description ?? "",
    },
    send: ({ kind: chosen, headers, region, access_key_id, secret_access_key, ...values }) => {
      const body: Omit<SinkBody, "kind"> = {
        url: values.url.trim(),
        include_content: values.include_content,
        share: (values.share ?? 100) / 100,
        description: values.description.trim(),
        ...(chosen === "otlp" && headers.trim() !== "" ? { headers: { Authorization: headers.trim() } } : {}),
        ...(chosen === "s3" ? { region: region.trim(), access_key_id: access_key_id.trim() } : {}),
        ...(chosen === "s3" && secret_access_key !== "" ? { secret_access_key } : {}),
      };
      if (sink === undefined) return api.call("POST /v1/log-sinks", { body: { kind: chosen, ...body } });
      return api.call("PATCH /v1/log-sinks/{id}", { params: { id: sink.id }, body });
    },
    queryKey: logSinksQuery.queryKey,
    saved: TEXTS.saved,
    onClose,
  });
  const secret = form.answer?.secret;
  if (secret !== undefined) return <ReceiverSecret secret={secret} text={TEXTS.secretText} onClose={onClose} />;
  const kind = form.watch("kind");
  const plain = { form, autoComplete: "off", spellCheck: false, mono: true, maxLength: 2_048 } as const;
  const unchanged = sink === undefined ? "" : TEXTS.unchanged;
  return (
    <FormDialog
      form={form}
      title={sink === undefined ? TEXTS.add : TEXTS.edit}
      submitLabel={sink === undefined ? TEXTS.add : TEXTS.save}
      onClose={onClose}
    >
      {sink === undefined && (
        <FormValue form={form} name="kind">
          {({ value, onChange }) => (
            <RadioGroup
              label={TEXTS.kind}
              value={value}
              onValueChange={onChange}
              options={KINDS.map((each) => ({
                value: each,
                label: TEXTS.kinds[each],
                description: TEXTS.kindTexts[each],
              }))}
            />
          )}
        </FormValue>
      )}
      <TextField
        {...plain}
        name="url"
        label={TEXTS.url}
        hint={kind === "s3" ? TEXTS.bucketHint : TEXTS.urlHint}
        required
        type="url"
      />
      {kind === "otlp" && (
        <PasswordField
          {...plain}
          name="headers"
          label={TEXTS.header}
          optional
          hint={TEXTS.headerHint}
          placeholder={unchanged}
        />
      )}
      {kind === "s3" && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField {...plain} name="region" label={TEXTS.region} required />
          <TextField {...plain} name="access_key_id" label={TEXTS.accessKeyId} required />
          <PasswordField
            {...plain}
            name="secret_access_key"
            label={TEXTS.secretAccessKey}
            required={sink === undefined}
            placeholder={unchanged}
            className="sm:col-span-2"
          />
        </div>
      )}
      <FormValue form={form} name="include_content">
        {({ value, onChange }) => (
          <Switch
            label={TEXTS.includeContent}
            description={TEXTS.includeText}
            checked={value}
            onCheckedChange={onChange}
          />
        )}
      </FormValue>
      <NumberField
        form={form}
        name="share"
        label={TEXTS.share}
        hint={TEXTS.shareHint}
        suffix={TEXTS.percent}
        check={(percent = 0) => (percent > 0 && percent <= 100 ? undefined : TEXTS.shareWrong)}
      />
      <TextField
        form={form}
        name="description"
        label={TEXTS.descriptionField}
        optional
        maxLength={256}
        autoComplete="off"
      />
    </FormDialog>
  );
}
