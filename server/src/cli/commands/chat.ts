import { createInterface } from "node:readline";
import { ApiError, type ChatBody, type ChatChunk, type Client } from "@trunkline/sdk";
import { readPiped } from "../ask.ts";
import { type Command, type Invocation, type Terminal, UsageError } from "../command.ts";
import { formatCredits, printable } from "../table.ts";

type Message = ChatBody["messages"][number];

/** `trunkline chat` */
export const chatCommand: Command = {
  help: `Asks a model and shows the answer as it comes.

  trunkline chat [--model M] [--system TEXT] [--json] [prompt]
  trunkline chat [--model M] [--system TEXT] -i

  -m, --model M        a model's name; default: auto, the service chooses
  -s, --system TEXT    instructions that come before the conversation
  -i, --interactive    a conversation, line by line; at a terminal it is the default without a prompt. Ctrl-C ends an
                       answer, Ctrl-D the conversation
  --json               the answer as one object, with model, tokens and cost

What is piped in comes after the prompt: trunkline chat "Sum this up:" < report.txt`,
  options: {
    model: { type: "string", short: "m" },
    system: { type: "string", short: "s" },
    interactive: { type: "boolean", short: "i" },
    json: { type: "boolean" },
  },
  async run(invocation) {
    const { terminal, words, text, isSet, client } = invocation;
    const system = text("system");
    const terms: Terms = {
      client: await client(),
      model: text("model") ?? "auto",
      messages: system === undefined ? [] : [{ role: "system", content: system }],
    };
    const given = words.join(" ");
    if (isSet("interactive") || (given === "" && terminal.stdin.isTTY)) {
      if (given !== "" || isSet("json")) throw new UsageError("A conversation takes neither a prompt nor --json.");
      return converse(terms, terminal);
    }
    const prompt = [given, await readPiped(terminal)].filter((part) => part !== "").join("\n\n");
    if (prompt === "") throw new UsageError("There is no prompt: write one, or pipe it in.");
    await answerOnce({ ...terms, messages: [...terms.messages, { role: "user", content: prompt }] }, invocation);
  },
};

interface Terms {
  readonly client: Client;
  readonly model: string;
  readonly messages: readonly Message[];
}

async function answerOnce(terms: Terms, { terminal, isSet, printJson }: Invocation): Promise<void> {
  if (!isSet("json")) return void (await showAnswer(terms, terminal));
  const { model, choices, usage } = await terms.client.chat(terms);
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens, cost } = usage;
  printJson({ output: choices[0]?.message.content ?? "", model, usage: { input_tokens, output_tokens }, cost });
}

/** Shows an answer as it comes, and what it cost where a person looks on. Returns its text. */
async function showAnswer({ client, ...body }: Terms, terminal: Terminal, signal?: AbortSignal): Promise<string> {
  let answer = "";
  let last: ChatChunk | undefined;
  try {
    for await (const chunk of client.streamChat(body, { signal })) {
      const piece = chunk.choices[0]?.delta.content ?? "";
      answer += piece;
      terminal.stdout.write(terminal.stdout.isTTY ? printable(piece) : piece);
      last = chunk;
    }
  } finally {
    if (answer !== "" && !answer.endsWith("\n")) terminal.stdout.write("\n");
  }
  if (terminal.stderr.isTTY && last?.usage != null) {
    const { prompt_tokens: input, completion_tokens: output, cost } = last.usage;
    terminal.stderr.write(
      `[${printable(last.model)}: ${input} tokens in, ${output} out, ${formatCredits(cost)} credits]\n`,
    );
  }
  return answer;
}

/** A conversation until the input ends. A refused question is left out of it. */
async function converse(terms: Terms, terminal: Terminal): Promise<void> {
  const isTerminal = terminal.stdin.isTTY;
  const lines = createInterface({
    input: terminal.stdin,
    terminal: isTerminal,
    prompt: isTerminal ? "> " : "",
    ...(isTerminal ? { output: terminal.stderr } : {}),
  });
  let running: AbortController | undefined;
  lines.on("SIGINT", () => (running === undefined ? lines.close() : running.abort()));
  let messages = terms.messages;
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== "") {
      const question: Message[] = [...messages, { role: "user", content: line }];
      running = new AbortController();
      try {
        const answer = await showAnswer({ ...terms, messages: question }, terminal, running.signal);
        messages = [...question, { role: "assistant", content: answer }];
      } catch (error) {
        if (!running.signal.aborted && !(error instanceof ApiError)) throw error;
        terminal.stderr.write(running.signal.aborted ? "(ended)\n" : `${printable((error as ApiError).message)}\n`);
      }
      running = undefined;
    }
    lines.prompt();
  }
}
