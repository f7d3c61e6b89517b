// @ts-check
/** What is sent and what the upstream answers: the same for everything that is measured. */

export const PROMPT =
  "We run a small bakery and want to tell our regular customers about the new opening hours. From the first of next " +
  "month we open at six in the morning instead of seven, and on Sundays we stay open until noon. Please write a short, " +
  "friendly notice for the shop window and a slightly longer message for our newsletter. Mention that the rye bread is " +
  "now baked twice a day, that orders can be placed by telephone until eight in the evening, and that we thank " +
  "everybody for their patience while the new oven was built in.";

const SENTENCES = [
  "Dear friends of the bakery, our mornings begin earlier from next month on. ",
  "We open at six o'clock on weekdays, and on Sundays you find us until noon. ",
  "The rye bread now leaves the oven twice a day, so that there is a warm loaf in the afternoon too. ",
  "Call us until eight in the evening to place an order for the next day. ",
  "Thank you for your patience while we built in the new oven. We look forward to seeing you.",
];
export const ANSWER_TEXT = SENTENCES.join("");
export const DELTAS = 20;
export const ANSWER_USAGE = { input_tokens: 110, output_tokens: 84 };

/** The model of plain requests, the one that streams, and the one that pauses for some seconds in the middle of its stream. */
export const CHAT_MODEL = "gpt-4o-mini";
export const STREAMED_MODEL = "bench-streamed";
export const HELD_MODEL = "bench-held";
/** The model that takes its time. It is too dear to be chosen, so that only those who name it wait for it. */
export const SLOW_MODEL = "bench-slow";

export const WHOLE_REQUEST = JSON.stringify({ task: "chat", input: PROMPT });
export const SLOW_REQUEST = JSON.stringify({ task: "chat", input: PROMPT, model: SLOW_MODEL });
export const WHOLE_ANSWER = JSON.stringify({ output: ANSWER_TEXT, usage: ANSWER_USAGE });

export const ANSWER_PIECES = piecesOf(ANSWER_TEXT, DELTAS);

/** @param {string} text @param {number} count */
function piecesOf(text, count) {
  const at = (/** @type {number} */ index) => Math.round((text.length * index) / count);
  return Array.from({ length: count }, (_, index) => text.slice(at(index), at(index + 1)));
}

/**
 * @typedef {object} ChatOrder Requests in OpenAI's format whose texts all differ.
 * @property {number} count How many, before they repeat.
 * @property {number} promptBytes About how long each user message is.
 * @property {string} model
 * @property {boolean} [stream]
 */

const WORDS =
  "river meeting invoice garden harbour letter engine winter budget recipe window planet market doctor signal forest ticket kitchen teacher weather printer contract holiday library battery station picture journey concert village".split(
    " ",
  );

/** A long prompt has several messages, as one may have 400,000 characters. */
const MESSAGE_BYTES = 300_000;

/** The bodies of an order, the same in every run. @param {ChatOrder} order */
export function chatBodies({ count, promptBytes, model, stream = false }) {
  let state = 7;
  const random = () => {
    // A linear congruential generator: every run draws the same.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const wordsOf = (/** @type {number} */ bytes) => {
    const words = [];
    for (let size = 60; size < bytes; size += 8) words.push(WORDS[Math.floor(random() * WORDS.length)]);
    return words.join(" ");
  };
  const messages = Math.ceil(promptBytes / MESSAGE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      model,
      messages: [
        { role: "system", content: "You are a concise assistant. Answer in one sentence." },
        ...Array.from({ length: messages }, () => ({
          role: "user",
          content: `Question ${index}: please explain how ${wordsOf(promptBytes / messages)} belong together.`,
        })),
      ],
      temperature: 0.2,
      max_tokens: 64,
      ...(stream ? { stream } : {}),
    }),
  );
}
