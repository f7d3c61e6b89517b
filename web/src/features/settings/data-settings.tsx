import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "@trunkline/sdk";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Card } from "../../ui/card.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatClock } from "../../ui/format.ts";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { toast } from "../../ui/toast.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { settingsQuery } from "./settings-query.ts";

type Change = BodyOf<"PATCH /v1/settings">;

/** The tab Data: what is kept, for how long, and where days begin. */
export function DataSettings() {
  useDocumentTitle("Data");
  return usePermission("settings.read") ? <DataForm /> : <NeedsRole>Settings are not shown to your role.</NeedsRole>;
}

function DataForm() {
  const queries = useQueryClient();
  const mayChange = usePermission("settings.change");
  const [isAsked, setIsAsked] = useState(false);
  const { data, error, refetch } = useQuery(settingsQuery);
  const save = useMutation({
    mutationFn: (body: Change) => api.call("PATCH /v1/settings", { body }),
    onSuccess: (settings) => {
      queries.setQueryData(settingsQuery.queryKey, settings);
      // Days begin at another time now, so figures by day are outdated.
      return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "settings" });
    },
    onError: (failure) => toast({ tone: "danger", title: errorBeside(failure, []) ?? "It was not saved." }),
  });
  if (data === undefined) {
    return error === null ? (
      <SkeletonRows rows={3} label="Settings are loading" />
    ) : (
      <ErrorState error={error} onRetry={refetch} />
    );
  }
  const isStored = save.isPending ? (save.variables.store_content ?? data.store_content) : data.store_content;

  function switchTo(isOn: boolean) {
    // More is kept from then on: that is worth a question. Less needs none.
    if (isOn) setIsAsked(true);
    else save.mutate({ store_content: false }, { onSuccess: () => toast({ title: "Prompts are no longer kept." }) });
  }

  return (
    <div className="grid max-w-3xl gap-8">
      {!mayChange && <p className="text-muted">Owners and admins can change these.</p>}
      <Section title="Prompts and outputs">
        <Card className="grid gap-5">
          <Switch
            label="Keep prompts and outputs"
            description="In the record of each request, for every member to read. Off unless you switch it on."
            checked={isStored}
            disabled={!mayChange || save.isPending}
            onCheckedChange={switchTo}
          />
          <Kept isStored={isStored} />
        </Card>
      </Section>
      <Section title="Time zone" description="Where the organisation's days, weeks and months begin.">
        <Card>
          <TimeZoneField
            zone={data.time_zone}
            disabled={!mayChange || save.isPending}
            onChange={(zone) =>
              save.mutate({ time_zone: zone }, { onSuccess: () => toast({ title: `Days now begin in ${zone}.` }) })
            }
          />
        </Card>
      </Section>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setIsAsked}
        title="Keep prompts and outputs?"
        confirmLabel="Keep them"
        onConfirm={async () => {
          await save.mutateAsync({ store_content: true });
          toast({ title: "Prompts and outputs are kept from now on." });
        }}
      >
        From the next request on, what is sent and what comes back is written into its record. Every member of the
        organisation can read it there, and so can the service's operator.
      </ConfirmDialog>
    </div>
  );
}

const ALWAYS = [
  [
    "Records of requests",
    "Model, tokens, cost, times and verdicts of the safety check. They stay: bills rest on them.",
  ],
  ["Idempotent answers", "24 hours, under the key that was sent with the request, so that a repetition gets the same."],
  ["Deliveries of webhooks", "30 days."],
  ["Audit log and payments", "They stay."],
] as const;

/** What is kept and for how long, in plain words. */
function Kept({ isStored }: { readonly isStored: boolean }) {
  const content = isStored
    ? "Kept with each record, for as long as it is there. Switching this off does not remove what was kept before."
    : "Not kept. They pass through memory and are gone with the answer.";
  return (
    <div className="border-t border-line pt-4">
      <h3 className="font-medium">What is kept, and for how long</h3>
      <dl className="mt-1 grid divide-y divide-line">
        {[["Prompts and outputs", content] as const, ...ALWAYS].map(([what, howLong]) => (
          <div key={what} className="grid gap-x-4 py-2 sm:grid-cols-[13rem_1fr]">
            <dt>{what}</dt>
            <dd className="text-muted">{howLong}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface TimeZoneFieldProps {
  readonly zone: string;
  readonly disabled: boolean;
  readonly onChange: (zone: string) => void;
}

/** A choice among all time zones, found by typing. */
function TimeZoneField({ zone, disabled, onChange }: TimeZoneFieldProps) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const options = useMemo(() => {
    const names = new Set([zone, "UTC", own, ...Intl.supportedValuesOf("timeZone")]);
    return [...names].map((name) => ({ value: name, label: name.replaceAll("_", " ") }));
  }, [zone, own]);
  return (
    <Field
      label="Time zone"
      hint={`It is ${formatClock(Date.now(), zone)} there now. Usage by day and budgets by day, week or month follow it.`}
      className="max-w-sm"
    >
      <Combobox
        value={zone}
        disabled={disabled}
        onValueChange={(chosen) => {
          if (chosen !== zone) onChange(chosen);
        }}
        searchPlaceholder="Search places"
        emptyText="No time zone of that name."
        options={options}
      />
    </Field>
  );
}
