import { Download } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { toast } from "../../ui/toast.tsx";
import { collectRequests, toCsv } from "./export-requests.ts";
import { isTooOften } from "./request-feed.ts";
import type { RequestFilters } from "./request-search.ts";

const TEXTS = texts.requests.exporting;
const WAIT_MS = 1_000;
const WAITS_MAX = 30;

/** Saves the requests that the filters find as a file. */
export function ExportButton({ search }: { readonly search: RequestFilters }) {
  const [isBusy, setIsBusy] = useState(false);

  async function download(form: "csv" | "json") {
    setIsBusy(true);
    try {
      const { rows, isCut } = await collectRequests(ask, search);
      if (form === "csv") saveFile("requests.csv", "text/csv", toCsv(rows));
      else saveFile("requests.json", "application/json", JSON.stringify(rows, undefined, 2));
      toast({ title: isCut ? TEXTS.cut(rows.length) : TEXTS.done(rows.length) });
    } catch {
      toast({ tone: "danger", title: TEXTS.failed });
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden="true" />} loading={isBusy}>
          {TEXTS.open}
        </Button>
      }
    >
      <MenuItem onSelect={() => void download("csv")}>{TEXTS.csv}</MenuItem>
      <MenuItem onSelect={() => void download("json")}>{TEXTS.json}</MenuItem>
    </Menu>
  );
}

/** Many pages may be more than the rate limit allows at once: then it waits. */
async function ask(query: Parameters<Parameters<typeof collectRequests>[0]>[0]) {
  for (let waits = 0; ; waits++) {
    try {
      return await api.call("GET /v1/requests", { query });
    } catch (error) {
      if (!isTooOften(error) || waits === WAITS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}
