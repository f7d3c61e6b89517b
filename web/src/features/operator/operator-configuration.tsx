import { useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Settings2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const TEXTS = texts.configuration;

type Setting = AnswerOf<"GET /v1/admin/configuration">["data"][number];

const COLUMNS: readonly Column<Setting>[] = [
  {
    id: "name",
    header: TEXTS.name,
    sortBy: ({ name }) => name,
    cell: ({ name }) => <code className="font-mono text-sm wrap-anywhere">{name}</code>,
  },
  {
    id: "value",
    header: TEXTS.value,
    cell: ({ value, is_secret: isSecret }) =>
      value === null ? (
        <span className="text-muted">{isSecret ? TEXTS.secret : TEXTS.notSet}</span>
      ) : (
        <span className="wrap-anywhere">{value}</span>
      ),
  },
  {
    id: "source",
    header: TEXTS.source,
    sortBy: ({ source }) => source,
    cell: ({ source }) =>
      source === "default" ? (
        <span className="text-muted">{TEXTS.sources.default}</span>
      ) : (
        <Badge>{TEXTS.sources[source]}</Badge>
      ),
  },
];

const VIEWS = [
  { value: "changed", label: TEXTS.changed },
  { value: "all", label: TEXTS.all },
] as const;

/** The tab Configuration: each setting in force, and where it comes from. */
export function OperatorConfiguration() {
  useDocumentTitle(TEXTS.title);
  const [view, setView] = useState<"changed" | "all">("changed");
  const [words, setWords] = useState("");
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "configuration"],
    queryFn: ({ signal }) => api.call("GET /v1/admin/configuration", { signal }),
  });
  if (error !== null) return <ErrorState error={error} onRetry={refetch} />;
  if (data === undefined) return <SkeletonRows rows={10} label={TEXTS.loading} />;
  const rows = data.data.filter(
    ({ name, source }) =>
      (view === "all" || source !== "default") && name.toLowerCase().includes(words.trim().toLowerCase()),
  );
  return (
    <div className="grid gap-5">
      <p className="max-w-3xl text-muted">{TEXTS.intro}</p>
      <div className="flex flex-wrap items-end gap-4">
        <Segmented label={TEXTS.show} value={view} onValueChange={setView} options={VIEWS} />
        <Field label={TEXTS.search} hideLabel className="min-w-56 grow sm:max-w-80">
          <Input
            type="search"
            placeholder={TEXTS.search}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </Field>
        <span className="text-sm text-muted">{TEXTS.count(rows.length)}</span>
      </div>
      {rows.length === 0 ? (
        <EmptyState icon={<Settings2 />} title={TEXTS.none} />
      ) : (
        <Table label={TEXTS.title} columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />
      )}
    </div>
  );
}
