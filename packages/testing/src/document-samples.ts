/** How a request hands over words that are not the caller's own: a tool's result, or a file. By the path of the endpoint. */
export const DOCUMENT_SAMPLES: Readonly<Record<string, (model: string, words: string) => object>> = {
  "/v1/ai/request": withFile,
  "/v1/generate": withFile,
  "/v1/stream": withFile,
  "/mcp": withFile,
  "/openai/v1/chat/completions": (model, content) => ({
    model,
    messages: [
      { role: "user", content: "What is in the letter?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content },
    ],
    tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
  }),
  "/openai/v1/responses": (model, output) => ({
    model,
    input: [
      { role: "user", content: "What is in the letter?" },
      { type: "function_call", call_id: "call_1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output },
    ],
    tools: [{ type: "function", name: "read", parameters: { type: "object" }, strict: false }],
  }),
  "/anthropic/v1/messages": (model, content) => ({
    model,
    max_tokens: 100,
    messages: [
      { role: "user", content: "What is in the letter?" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
    ],
    tools: [{ name: "read", input_schema: { type: "object" } }],
  }),
  "/gemini/v1beta/models/*:generateContent": withResponse,
  "/gemini/v1beta/models/*:streamGenerateContent": withResponse,
  "/gemini/v1/models/*:generateContent": withResponse,
  "/gemini/v1/models/*:streamGenerateContent": withResponse,
};

function withFile(model: string, words: string): object {
  const url = `data:text/plain;base64,${Buffer.from(words).toString("base64")}`;
  return { task: "text", model, input: "What is in the letter?", attachments: [{ type: "file", url }] };
}

function withResponse(_model: string, result: string): object {
  return {
    contents: [
      { role: "user", parts: [{ text: "What is in the letter?" }] },
      { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { result } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "read" }] }],
  };
}
