import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { HookSecret } from "./hook-list.tsx";
import { type LogSink, logSinksQuery } from "./hook-queries.ts";

const TEXTS = texts.hooks.sinks;

type Kind = LogSink["kind"];
type SinkBody = BodyOf<"POST /v1/log-sinks">;

const KINDS: readonly Kind[] = ["otlp", "http", "s3"];
const FIELDS = ["url", "headers", "region", "access_key_id", "secret_access_key", "share", "description"];

/** The form of a destination. A new one of the kind http ends with its secret, which is shown this once. */
export function LogSinkForm({ sink, onClose }: { readonly sink: LogSink | undefined; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>(sink?.kind ?? "otlp");
  const [url, setUrl] = useState(sink?.url ?? "");
  const [header, setHeader] = useState("");
  const [region, setRegion] = useState(sink?.region ?? "");
  const [accessKeyId, setAccessKeyId] = useState(sink?.access_key_id ?? "");
  const [secretAccessKey, setSecretAccessKey] = useState("");
  const [withContent, setWithContent] = useState(sink?.include_content ?? false);
  const [percent, setPercent] = useState<number | undefined>((sink?.share ?? 1) * 100);
  const [description, setDescription] = useState(sink?.description ?? "");
  const [secret, setSecret] = useState<string>();
  const isShare = percent !== undefined && percent > 0 && percent <= 100;
  const save = useMutation({
    mutationFn: async () => {
      const body: Omit<SinkBody, "kind"> = {
        url: url.trim(),
        include_content: withContent,
        share: (percent ?? 100) / 100,
        description: description.trim(),
        ...(kind === "otlp" && header.trim() !== "" ? { headers: { Authorization: header.trim() } } : {}),
        ...(kind === "s3" ? { region: region.trim(), access_key_id: accessKeyId.trim() } : {}),
        ...(kind === "s3" && secretAccessKey !== "" ? { secret_access_key: secretAccessKey } : {}),
      };
      if (sink === undefined) return (await api.call("POST /v1/log-sinks", { body: { kind, ...body } })).secret;
      return (await api.call("PATCH /v1/log-sinks/{id}", { params: { id: sink.id }, body })).secret;
    },
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: logSinksQuery.queryKey });
      setSecret(made);
      if (made !== undefined) return;
      onClose();
      toast({ title: TEXTS.saved });
    },
  });
  if (secret !== undefined) return <HookSecret secret={secret} text={TEXTS.secretText} onClose={onClose} />;
  const fault = errorBeside(save.error, FIELDS);
  const lacksUrl = url.trim() === "";
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!lacksUrl && isShare && !save.isPending) save.mutate();
  }
  const plain = { autoComplete: "off", spellCheck: false, mono: true, maxLength: 2_048 } as const;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={sink === undefined ? TEXTS.add : TEXTS.edit}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" form="log-sink" variant="primary" loading={save.isPending} disabled={lacksUrl}>
            {sink === undefined ? TEXTS.add : TEXTS.save}
          </Button>
        </>
      }
    >
      <form id="log-sink" className="grid gap-4" onSubmit={submit} noValidate>
        {sink === undefined && (
          <RadioGroup
            label={TEXTS.kind}
            value={kind}
            onValueChange={setKind}
            options={KINDS.map((value) => ({
              value,
              label: TEXTS.kinds[value],
              description: TEXTS.kindTexts[value],
            }))}
          />
        )}
        <Field
          label={TEXTS.url}
          hint={kind === "s3" ? TEXTS.bucketHint : TEXTS.urlHint}
          error={errorAt(save.error, "url")}
        >
          <Input {...plain} type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
        </Field>
        {kind === "otlp" && (
          <Field label={TEXTS.header} optional hint={TEXTS.headerHint} error={errorAt(save.error, "headers")}>
            <PasswordInput
              {...plain}
              placeholder={sink === undefined ? "" : TEXTS.unchanged}
              value={header}
              onChange={(event) => setHeader(event.target.value)}
            />
          </Field>
        )}
        {kind === "s3" && (
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={TEXTS.region} error={errorAt(save.error, "region")}>
              <Input {...plain} value={region} onChange={(event) => setRegion(event.target.value)} />
            </Field>
            <Field label={TEXTS.accessKeyId} error={errorAt(save.error, "access_key_id")}>
              <Input {...plain} value={accessKeyId} onChange={(event) => setAccessKeyId(event.target.value)} />
            </Field>
            <Field
              label={TEXTS.secretAccessKey}
              error={errorAt(save.error, "secret_access_key")}
              className="sm:col-span-2"
            >
              <PasswordInput
                {...plain}
                placeholder={sink === undefined ? "" : TEXTS.unchanged}
                value={secretAccessKey}
                onChange={(event) => setSecretAccessKey(event.target.value)}
              />
            </Field>
          </div>
        )}
        <Switch
          label={TEXTS.includeContent}
          description={TEXTS.includeText}
          checked={withContent}
          onCheckedChange={setWithContent}
        />
        <Field
          label={TEXTS.share}
          hint={TEXTS.shareHint}
          error={isShare ? errorAt(save.error, "share") : TEXTS.shareWrong}
        >
          <NumberInput value={percent} onValueChange={setPercent} suffix={TEXTS.percent} />
        </Field>
        <Field label={TEXTS.descriptionField} optional error={errorAt(save.error, "description")}>
          <Input
            value={description}
            maxLength={256}
            autoComplete="off"
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
