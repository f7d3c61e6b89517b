import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "@trunkline/sdk";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
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
import { DataRulesSection } from "./data-rules-section.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { RetentionSection, retentionQuery } from "./retention-section.tsx";
import { settingsQuery } from "./settings-query.ts";

const TEXTS = texts.settings.data;

type Change = BodyOf<"PATCH /v1/settings">;

/** The tab Data: what is kept, for how long, and where days begin. */
export function DataSettings() {
  useDocumentTitle(texts.settings.tabs.data);
  return usePermission("settings.read") ? <DataForm /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function DataForm() {
  const queries = useQueryClient();
  const mayChange = usePermission("settings.change");
  const [isAsked, setIsAsked] = useState(false);
  const { data, error, refetch } = useQuery(settingsQuery);
  // Both at once: what comes later would move what is there.
  const { isPending } = useQuery(retentionQuery);
  const save = useMutation({
    mutationFn: (body: Change) => api.call("PATCH /v1/settings", { body }),
    onSuccess: (settings) => {
      queries.setQueryData(settingsQuery.queryKey, settings);
      // Days begin at another time now, so figures by day are outdated.
      return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "settings" });
    },
    onError: (failure) => toast({ tone: "danger", title: errorBeside(failure, []) ?? TEXTS.saveFailed }),
  });
  if (data === undefined || isPending) {
    return error === null ? (
      <SkeletonRows rows={3} label={TEXTS.loading} />
    ) : (
      <ErrorState error={error} onRetry={refetch} />
    );
  }
  const isStored = save.isPending ? (save.variables.store_content ?? data.store_content) : data.store_content;

  function switchTo(isOn: boolean) {
    // More is kept from then on: that is worth a question. Less needs none.
    if (isOn) setIsAsked(true);
    else save.mutate({ store_content: false }, { onSuccess: () => toast({ title: TEXTS.storeOff }) });
  }

  return (
    <div className="grid max-w-3xl gap-8">
      {!mayChange && <p className="text-muted">{texts.settings.onlyAdmins}</p>}
      <Section title={TEXTS.content}>
        <Card className="grid gap-3">
          <Switch
            label={TEXTS.store}
            description={TEXTS.storeText}
            checked={isStored}
            disabled={!mayChange || save.isPending}
            onCheckedChange={switchTo}
          />
          <p className="text-sm text-muted">{isStored ? TEXTS.contentStored : TEXTS.contentNotStored}</p>
        </Card>
      </Section>
      <RetentionSection mayChange={mayChange} />
      <DataRulesSection
        rules={data.data_rules}
        disabled={!mayChange || save.isPending}
        onChange={(change) => save.mutate(change, { onSuccess: () => toast({ title: texts.privacy.saved }) })}
      />
      <Section title={TEXTS.timeZone} description={TEXTS.timeZoneText}>
        <Card>
          <TimeZoneField
            zone={data.time_zone}
            disabled={!mayChange || save.isPending}
            onChange={(zone) =>
              save.mutate({ time_zone: zone }, { onSuccess: () => toast({ title: TEXTS.timeZoneSaved(zone) }) })
            }
          />
        </Card>
      </Section>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setIsAsked}
        title={TEXTS.storeTitle}
        confirmLabel={TEXTS.storeConfirm}
        onConfirm={async () => {
          await save.mutateAsync({ store_content: true });
          toast({ title: TEXTS.storeOn });
        }}
      >
        {TEXTS.storeWarning}
      </ConfirmDialog>
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
    <Field label={TEXTS.timeZone} hint={TEXTS.timeZoneHint(formatClock(Date.now(), zone))} className="max-w-sm">
      <Combobox
        value={zone}
        disabled={disabled}
        onValueChange={(chosen) => {
          if (chosen !== zone) onChange(chosen);
        }}
        searchPlaceholder={TEXTS.searchZones}
        emptyText={TEXTS.noZone}
        options={options}
      />
    </Field>
  );
}
