import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { toast } from "../../ui/toast.tsx";
import { listCountries } from "./countries.ts";
import { detailsQuery } from "./queries.ts";

const TEXTS = texts.billing.billingDetailsForm;

type Details = AnswerOf<"GET /v1/billing/details">;

/** Whom receipts and statements are made out to. */
export function BillingDetailsForm() {
  const { data, error, refetch } = useQuery(detailsQuery);
  return (
    <Section title={TEXTS.billingDetails} description={TEXTS.shownOnReceiptsAnd}>
      {data !== undefined ? (
        <DetailsForm details={data} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={4} label={TEXTS.billingDetailsAreLoading} />
      )}
    </Section>
  );
}

function DetailsForm({ details }: { readonly details: Details }) {
  const queries = useQueryClient();
  const { account } = useSession();
  const mayChange = usePermission("billing.change");
  const [company, setCompany] = useState(details.company ?? "");
  const [address, setAddress] = useState(details.address.join("\n"));
  const [country, setCountry] = useState(details.country ?? "");
  const [taxId, setTaxId] = useState(details.tax_id ?? "");
  const [email, setEmail] = useState(details.email ?? "");
  const save = useMutation({
    mutationFn: (body: Details) => api.call("PATCH /v1/billing/details", { body }),
    onSuccess: (changed) => {
      queries.setQueryData(detailsQuery.queryKey, changed);
      // Cached receipts and statements have the old details.
      void queries.invalidateQueries({ queryKey: ["billing", "receipt"] });
      void queries.invalidateQueries({ queryKey: ["billing", "statement"] });
      toast({ title: TEXTS.billingDetailsSaved });
    },
  });
  const refused = save.error instanceof ApiError ? save.error : undefined;
  const mistakeOf = (...fields: readonly string[]) =>
    fields.some((field) => refused?.param === field || refused?.param?.startsWith(`${field}[`))
      ? refused?.message
      : undefined;

  function send(event: FormEvent) {
    event.preventDefault();
    const lines = address
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    save.mutate({
      company: company.trim() || null,
      address: lines,
      country: country || null,
      tax_id: taxId.trim() || null,
      email: email.trim() || null,
    });
  }

  return (
    <Card>
      <form onSubmit={send} noValidate className="grid gap-4">
        <Field label={TEXTS.company} optional error={mistakeOf("company")} hint={TEXTS.leftEmptyItIs(account.name)}>
          <Input
            value={company}
            disabled={!mayChange}
            maxLength={128}
            autoComplete="organization"
            onChange={(event) => setCompany(event.target.value)}
          />
        </Field>
        <Field label={TEXTS.address} optional error={mistakeOf("address")} hint={TEXTS.upToLines}>
          <Textarea
            value={address}
            disabled={!mayChange}
            rows={3}
            autoComplete="street-address"
            onChange={(event) => setAddress(event.target.value)}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={TEXTS.country} optional error={mistakeOf("country")}>
            <NativeSelect
              value={country}
              disabled={!mayChange}
              autoComplete="country"
              onChange={(event) => setCountry(event.target.value)}
            >
              <option value="">{TEXTS.none}</option>
              {listCountries().map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </NativeSelect>
          </Field>
          <Field label={TEXTS.taxNumber} optional error={mistakeOf("tax_id")}>
            <Input
              value={taxId}
              disabled={!mayChange}
              maxLength={64}
              autoComplete="off"
              onChange={(event) => setTaxId(event.target.value)}
            />
          </Field>
        </div>
        <Field label={TEXTS.eMailForReceipts} optional error={mistakeOf("email")}>
          <Input
            type="email"
            value={email}
            disabled={!mayChange}
            maxLength={254}
            autoComplete="email"
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        {save.isError && refused?.param === undefined && (
          <Banner tone="danger">{refused?.message ?? TEXTS.thisCouldNotBe}</Banner>
        )}
        <Button type="submit" loading={save.isPending} disabled={!mayChange} className="justify-self-start">
          {TEXTS.saveTheDetails}
        </Button>
      </form>
    </Card>
  );
}
