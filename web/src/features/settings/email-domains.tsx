import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { KeyValue } from "../../ui/key-value.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { domainsQuery, type EmailDomain } from "./sso-queries.ts";

const TEXTS = texts.sso.domains;

/** The domains whose addresses the organisation's identity provider is trusted for. */
export function EmailDomains({ mayChange }: { readonly mayChange: boolean }) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(domainsQuery);
  const reload = () => queries.invalidateQueries({ queryKey: domainsQuery.queryKey });
  const form = useApiForm({
    values: { name: "" },
    send: ({ name }) => api.call("POST /v1/organisation/domains", { body: { name: name.trim() } }),
    onSent: async () => {
      form.reset();
      await reload();
    },
    params: { domain: "name" },
  });
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      <Card className="grid gap-4">
        {data === undefined &&
          (error === null ? (
            <SkeletonRows rows={2} label={TEXTS.title} />
          ) : (
            <ErrorState error={error} onRetry={refetch} />
          ))}
        {data?.data.length === 0 && <p className="text-muted">{TEXTS.empty}</p>}
        {data?.data.map((domain) => (
          <Domain key={domain.name} domain={domain} mayChange={mayChange} onChange={reload} />
        ))}
        {mayChange && (
          <Form form={form} className="sm:grid-cols-[1fr_auto] sm:items-end">
            <TextField
              form={form}
              name="name"
              label={TEXTS.label}
              required
              mono
              placeholder={TEXTS.placeholder}
              autoCapitalize="none"
              spellCheck={false}
            />
            <Button type="submit" loading={form.isSending}>
              {TEXTS.add}
            </Button>
          </Form>
        )}
      </Card>
    </Section>
  );
}

interface DomainProps {
  readonly domain: EmailDomain;
  readonly mayChange: boolean;
  readonly onChange: () => Promise<void>;
}

function Domain({ domain, mayChange, onChange }: DomainProps) {
  const { name, record } = domain;
  const isVerified = domain.verified_at !== null;
  const verify = useMutation({
    mutationFn: () => api.call("POST /v1/organisation/domains/{name}/verify", { params: { name } }),
    onSuccess: async () => {
      await onChange();
      toast({ title: TEXTS.verifiedToast(name) });
    },
  });
  const remove = useMutation({
    mutationFn: () => api.call("DELETE /v1/organisation/domains/{name}", { params: { name } }),
    onSuccess: onChange,
  });
  const fault = errorBeside(verify.error ?? remove.error, []);
  return (
    <div className="grid gap-2 border-b border-line pb-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className="grow font-medium wrap-anywhere">{name}</span>
        <Badge tone={isVerified ? "positive" : "warning"}>{isVerified ? TEXTS.verified : TEXTS.waiting}</Badge>
        {mayChange && !isVerified && (
          <Button size="sm" loading={verify.isPending} onClick={() => verify.mutate()}>
            {TEXTS.verify}
          </Button>
        )}
        {mayChange && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={TEXTS.removeDomain(name)}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {TEXTS.remove}
          </Button>
        )}
      </div>
      {!isVerified && (
        <>
          <p className="text-sm text-muted">{TEXTS.record}</p>
          <KeyValue
            items={[
              { label: TEXTS.recordName, value: <Copyable text={record.name} label={TEXTS.recordName} /> },
              { label: TEXTS.recordValue, value: <Copyable text={record.value} label={TEXTS.recordValue} /> },
            ]}
          />
        </>
      )}
      {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
    </div>
  );
}

function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="min-w-0 text-sm wrap-anywhere">{text}</code>
      <CopyButton text={text} label={label} iconOnly />
    </span>
  );
}
