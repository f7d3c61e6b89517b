import { OpenRouter } from "@openrouter/sdk";

const { TRUNKLINE_URL: url, TRUNKLINE_KEY: apiKey, MODEL: model, TASK: prompt } = process.env;
const openRouter = new OpenRouter({ apiKey, serverURL: `${url}/openai/v1` });
const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ type: "function", function: { name: "bash", description: "Runs a command.", parameters } }];
const messages = [{ role: "user", content: prompt }];
const send = (stream) => openRouter.chat.send({ chatRequest: { model, messages, tools, stream } });
const { message } = (await send(false)).choices[0];
const [call] = message.toolCalls;
const { command } = JSON.parse(call.function.arguments);
messages.push(message, { role: "tool", toolCallId: call.id, content: "done" });
const whole = await send(false);
let text = "";
for await (const piece of await send(true)) text += piece.choices[0]?.delta.content ?? "";
process.stdout.write(JSON.stringify({ ran: [command, command], texts: [whole.choices[0].message.content, text] }));
