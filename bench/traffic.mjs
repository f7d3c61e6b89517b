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
const DELTAS = 20;
export const ANSWER_USAGE = { input_tokens: 110, output_tokens: 84 };

/** The model that a stream asks for: its endpoint drips. The others answer whole. */
export const STREAMED_MODEL = "bench-drip";
/** The model that takes its time. It is too dear to be chosen, so that only those who name it wait for it. */
export const SLOW_MODEL = "bench-slow";

export const WHOLE_REQUEST = JSON.stringify({ task: "chat", input: PROMPT });
export const SLOW_REQUEST = JSON.stringify({ task: "chat", input: PROMPT, model: SLOW_MODEL });
export const STREAM_REQUEST = JSON.stringify({ task: "chat", input: PROMPT, model: STREAMED_MODEL });
export const WHOLE_ANSWER = JSON.stringify({ output: ANSWER_TEXT, usage: ANSWER_USAGE });

export const ANSWER_PIECES = piecesOf(ANSWER_TEXT, DELTAS);

/** The lines of a streamed answer: the same text in twenty deltas, and the end. */
export const STREAM_LINES = [
  ...ANSWER_PIECES.map((delta) => `${JSON.stringify({ delta })}\n`),
  `${JSON.stringify({ done: true, usage: ANSWER_USAGE })}\n`,
];

/** @param {string} text @param {number} count */
function piecesOf(text, count) {
  const at = (/** @type {number} */ index) => Math.round((text.length * index) / count);
  return Array.from({ length: count }, (_, index) => text.slice(at(index), at(index + 1)));
}
