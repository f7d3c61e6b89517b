import { type Command, takeWords } from "../command.ts";
import { formatCredits } from "../table.ts";

/** `trunkline balance` */
export const balanceCommand: Command = {
  help: `Shows what the account has.

  trunkline balance [--json]`,
  options: { json: { type: "boolean" } },
  async run({ words, client, isSet, print, printJson }) {
    takeWords(words, 0);
    const balance = await (await client()).call("GET /v1/balance");
    if (isSet("json")) return printJson(balance);
    const held = balance.held === 0 ? "" : ` (${formatCredits(balance.held)} held for running requests)`;
    print(`${formatCredits(balance.available)} credits${held}`);
  },
};
