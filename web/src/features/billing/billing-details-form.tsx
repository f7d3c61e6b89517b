import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, FormField, TextField } from "../../ui/form.tsx";
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
  const form = useApiForm({
    values: {
      company: details.company ?? "",
      address: details.address.join("\n"),
      country: details.country ?? "",
      tax_id: details.tax_id ?? "",
      email: details.email ?? "",
    },
    send: ({ company, address, country, tax_id: taxId, email }) =>
      api.call("PATCH /v1/billing/details", {
        body: {
          company: company.trim() || null,
          address: address
            .split("\n")
            .map((line) => line.trim())
            .filter((line) => line !== ""),
          country: country || null,
          tax_id: taxId.trim() || null,
          email: email.trim() || null,
        },
      }),
    onSent: (changed) => {
      queries.setQueryData(detailsQuery.queryKey, changed);
      // Cached receipts and statements have the old details.
      void queries.invalidateQueries({ queryKey: ["billing", "receipt"] });
      void queries.invalidateQueries({ queryKey: ["billing", "statement"] });
      toast({ title: TEXTS.billingDetailsSaved });
    },
  });
  const disabled = !mayChange;
  return (
    <Card>
      <Form form={form}>
        <TextField
          form={form}
          name="company"
          label={TEXTS.company}
          optional
          hint={TEXTS.leftEmptyItIs(account.name)}
          disabled={disabled}
          maxLength={128}
          autoComplete="organization"
        />
        <FormField form={form} name="address" label={TEXTS.address} optional hint={TEXTS.upToLines}>
          {(field) => <Textarea {...field} disabled={disabled} rows={3} autoComplete="street-address" />}
        </FormField>
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField form={form} name="country" label={TEXTS.country} optional>
            {(field) => (
              <NativeSelect {...field} disabled={disabled} autoComplete="country">
                <option value="">{TEXTS.none}</option>
                {listCountries().map(({ code, name }) => (
                  <option key={code} value={code}>
                    {name}
                  </option>
                ))}
              </NativeSelect>
            )}
          </FormField>
          <TextField
            form={form}
            name="tax_id"
            label={TEXTS.taxNumber}
            optional
            disabled={disabled}
            maxLength={64}
            autoComplete="off"
          />
        </div>
        <TextField
          form={form}
          name="email"
          label={TEXTS.eMailForReceipts}
          optional
          type="email"
          disabled={disabled}
          maxLength={254}
          autoComplete="email"
        />
        <Button type="submit" loading={form.isSending} disabled={disabled} className="justify-self-start">
          {TEXTS.saveTheDetails}
        </Button>
      </Form>
    </Card>
  );
}
