import { blockEvents } from "../support/anthropic-upstream.ts";
import { events, type UpstreamAnswer, type UpstreamRequest } from "../support/scripted-upstream.ts";

/** What a user asks an agent for, and what the model behind it does. */
export const TASK = "Please write the file called made.txt with the shell.";
export const COMMAND = "echo written-by-the-agent > made.txt";
export const ANSWER = "The file is written, and that was all.";

/** What is asked for so that the model starts a helper of the agent's, and what that is asked. */
export const HELPER_TASK = "Please let a helper count the sheep.";
const HELPER_PROMPT = "Count the sheep on the meadow and say how many there are.";
export const HELPER_ANSWER = "There are seventeen sheep.";

/** How the agents call the tool that runs a command, and how they name its parameter. */
const SHELL_TOOLS: Readonly<Record<string, (command: string) => object>> = {
  Bash: (command) => ({ command, description: "Writes a file" }),
  bash: (command) => ({ command, description: "Writes a file" }),
  run_shell_command: (command) => ({ command, description: "Writes a file", is_background: false }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
};

type Call = readonly [name: string, input: object];

/**
 * A model of any of three wire formats that calls an agent's shell once, and then says that it is done. A request without
 * such a tool, as for the title of a conversation, gets the words alone.
 */
export function answerAgent(request: UpstreamRequest): UpstreamAnswer {
  return answer(request, false);
}

/** The same model, which thinks and speaks before it calls the shell. */
export function answerTalkative(request: UpstreamRequest): UpstreamAnswer {
  return answer(request, true);
}

const THOUGHT = "A shell can do that.";
const FIRST_WORDS = "I will write it now.";

function answer(request: UpstreamRequest, isTalkative: boolean): UpstreamAnswer {
  const { path, json } = request;
  if (json === undefined) return { status: 404, body: "{}" };
  const text = request.body.toString("utf8");
  if (text.includes(HELPER_TASK)) return answerMessages(json.stream === true, helperCall(text));
  if (text.includes(HELPER_PROMPT)) return answerMessages(json.stream === true, undefined, HELPER_ANSWER);
  const isTask = text.includes(TASK) && !text.includes('"tool_call_id"') && !text.includes('"tool_result"');
  const call = isTask && !text.includes('"functionResponse"') ? shellCall(json) : undefined;
  const talks = isTalkative && call !== undefined;
  if (path.includes("/chat/completions")) return answerChat(json.stream === true, call, talks);
  if (path.includes("/messages")) return answerMessages(json.stream === true, call, ANSWER, talks);
  return answerContent(path.includes("stream"), call, talks);
}

/** Starts a helper once; its answer comes back as the result of the call. */
function helperCall(text: string): Call | undefined {
  const name = ["Agent", "Task"].find((known) => text.includes(`"name":"${known}"`));
  if (name === undefined || text.includes('"tool_result"')) return undefined;
  return [name, { description: "Counts sheep", prompt: HELPER_PROMPT, subagent_type: "general-purpose" }];
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of three formats.
function shellCall(json: any): Call | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: tools of three formats.
  const tools: any[] = json.tools ?? [];
  const names = tools.flatMap((tool) => [
    tool.function?.name,
    tool.name,
    ...(tool.functionDeclarations ?? tool.function_declarations ?? []).map(({ name }: { name: string }) => name),
  ]);
  const name = Object.keys(SHELL_TOOLS).find((known) => names.includes(known));
  return name === undefined ? undefined : [name, SHELL_TOOLS[name]?.(COMMAND) ?? {}];
}

const streamed = (body: readonly string[]): UpstreamAnswer => ({
  headers: { "content-type": "text/event-stream" },
  body,
});
const whole = (body: unknown): UpstreamAnswer => ({ body: JSON.stringify(body) });

function answerChat(isStreamed: boolean, call: Call | undefined, talks: boolean): UpstreamAnswer {
  const frame = { id: "chatcmpl-1", created: 1, model: "m" };
  const usage = { prompt_tokens: 2_000, completion_tokens: 20, total_tokens: 2_020 };
  const finish_reason = call === undefined ? "stop" : "tool_calls";
  const toolCall = call && {
    id: "call_1",
    type: "function",
    function: { name: call[0], arguments: JSON.stringify(call[1]) },
  };
  if (!isStreamed) {
    const message = {
      role: "assistant",
      content: talks ? FIRST_WORDS : call ? null : ANSWER,
      ...(talks && { reasoning_content: THOUGHT }),
      ...(toolCall && { tool_calls: [toolCall] }),
    };
    return whole({ ...frame, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage });
  }
  const chunk = (delta: object, finish: string | null) => ({
    ...frame,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const delta = toolCall
    ? { role: "assistant", tool_calls: [{ index: 0, ...toolCall }] }
    : { role: "assistant", content: ANSWER };
  return streamed(
    events(
      ...(talks ? [chunk({ reasoning_content: THOUGHT }, null), chunk({ content: FIRST_WORDS }, null)] : []),
      chunk(delta, null),
      chunk({}, finish_reason),
      { ...frame, object: "chat.completion.chunk", choices: [], usage },
      "[DONE]",
    ),
  );
}

function answerMessages(isStreamed: boolean, call: Call | undefined, words = ANSWER, talks = false): UpstreamAnswer {
  const usage = { input_tokens: 2_000, output_tokens: 20 };
  const stop = { stop_reason: call === undefined ? "end_turn" : "tool_use", stop_sequence: null };
  const frame = { id: "msg_1", type: "message", role: "assistant", model: "m" };
  const content = [
    ...(talks
      ? [
          { type: "thinking", thinking: THOUGHT, signature: "c2lnbmF0dXJl" },
          { type: "text", text: FIRST_WORDS },
        ]
      : []),
    call ? { type: "tool_use", id: "toolu_1", name: call[0], input: call[1] } : { type: "text", text: words },
  ];
  if (!isStreamed) return whole({ ...frame, content, ...stop, usage });
  return streamed(
    events(
      { type: "message_start", message: { ...frame, content: [], stop_reason: null, stop_sequence: null, usage } },
      ...content.flatMap(blockEvents),
      { type: "message_delta", delta: stop, usage: { output_tokens: 20 } },
      { type: "message_stop" },
    ),
  );
}

function answerContent(isStreamed: boolean, call: Call | undefined, talks: boolean): UpstreamAnswer {
  // Gemini signs its calls, and ends its texts with a signature alone.
  const parts = call
    ? [
        ...(talks ? [{ text: THOUGHT, thought: true }, { text: FIRST_WORDS }] : []),
        { functionCall: { name: call[0], args: call[1] }, thoughtSignature: "c2lnbmF0dXJl" },
      ]
    : [{ text: ANSWER }, { text: "", thoughtSignature: "c2lnbmF0dXJl" }];
  const usageMetadata = { promptTokenCount: 2_000, candidatesTokenCount: 20, totalTokenCount: 2_020 };
  const answer = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata };
  return isStreamed ? streamed(events(answer)) : whole(answer);
}
