import type { QueryOf } from "@trunkline/sdk";
import { Download } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { toast } from "../../ui/toast.tsx";

type CsvButtonProps = {
  /** What the file is called, without its ending. */
  readonly file: string;
} & (
  | { readonly operation: "GET /v1/usage/series"; readonly query: QueryOf<"GET /v1/usage/series"> }
  | { readonly operation: "GET /v1/usage/breakdown"; readonly query: QueryOf<"GET /v1/usage/breakdown"> }
);

/** Downloads what is shown as the API writes it in CSV. */
export function CsvButton({ file, operation, query }: CsvButtonProps) {
  const [isLoading, setIsLoading] = useState(false);

  async function download() {
    setIsLoading(true);
    try {
      saveFile(`${file}.csv`, "text/csv", await api.text(operation, "text/csv", { query }));
    } catch {
      toast({ tone: "danger", title: texts.usage.csvFailed });
    } finally {
      setIsLoading(false);
    }
  }

  return (
    <Button size="sm" icon={<Download aria-hidden="true" />} loading={isLoading} onClick={() => void download()}>
      {texts.usage.csv}
    </Button>
  );
}
