import type { AnswerOf } from "@trunkline/sdk";
import { type Command, choiceOf, takeWords } from "../command.ts";
import { type Column, formatCredits, formatTable } from "../table.ts";

type Breakdown = AnswerOf<"GET /v1/usage/breakdown">;
type Row = Breakdown["data"][number];

const GROUPS = ["day", "model", "key", "task", "provider"] as const;

/** `trunkline usage` */
export const usageCommand: Command = {
  help: `Shows what was used and what it cost.

  trunkline usage [--by ${GROUPS.join("|")}] [--from DATE] [--to DATE] [--json]

  --by    default: model
  --from  a date or a date-time; default: since the first request
  --to    a date (that whole day counts) or a date-time`,
  options: {
    by: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    json: { type: "boolean" },
  },
  async run({ words, text, client, isSet, print, printJson }) {
    takeWords(words, 0);
    const group = choiceOf("by", text("by"), GROUPS) ?? "model";
    const query = { group_by: group, from: text("from"), to: text("to") };
    const usage = await (await client()).call("GET /v1/usage/breakdown", { query });
    if (isSet("json")) return printJson(usage);
    if (usage.data.length === 0) return print("Nothing was used.");
    print(formatTable(columnsOf(usage), [...usage.data, totalOf(usage)]));
  },
};

function columnsOf({ group_by: group }: Breakdown): readonly Column<Row>[] {
  const figure = (name: string, text: (row: Row) => string): Column<Row> => ({ name, right: true, text });
  return [
    { name: group, text: (row) => row[`${group}_name`] ?? row[group] ?? "" },
    figure("requests", ({ requests }) => String(requests)),
    figure("errors", ({ errors }) => String(errors)),
    figure("input tokens", ({ input_tokens: tokens }) => String(tokens)),
    figure("output tokens", ({ output_tokens: tokens }) => String(tokens)),
    figure("credits", ({ cost }) => formatCredits(cost)),
  ];
}

function totalOf({ group_by: group, data }: Breakdown): Row {
  const sum = (figure: (row: Row) => number) => data.reduce((total, row) => total + figure(row), 0);
  const figures = {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    input_tokens: sum(({ input_tokens: tokens }) => tokens),
    output_tokens: sum(({ output_tokens: tokens }) => tokens),
    cost: sum(({ cost }) => cost),
  };
  return { ...figures, [group]: "total" } as unknown as Row;
}
