import { anyOf, buildPattern, type Rule, splitList } from "./rule-matcher.ts";

const raw = String.raw;

const DISMISS = raw`\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|neglect|stop following|pay no attention to|(?:do not|don't|no longer|never) (?:follow|obey|listen to|adhere to|comply with))\b`;
/** These also have harmless objects: a style rule is overridden, a draft discarded. */
const UNDO = raw`\b(?:overrid(?:e|ing)|overrule|bypass(?:ing)?|discard|dismiss|abandon|nullify)\b`;
const EARLIER = raw`(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|past|former|original|initial)`;
const OWN = raw`(?:your|system|developer|safety|hidden|internal|existing|current)`;
/** Words for the instructions of a model, and words that also apply to people and machines. */
const INSTRUCTIONS = raw`(?:instructions?|directives|prompts?|programming|guidelines)`;
const RULES = raw`(?:directions|commands?|orders|rules|guidance|constraints|restrictions|training|polic(?:y|ies)|protocols?|safeguards|filters)`;
const INSTRUCTION_ANCHORS = splitList("instruct, directive, prompt, programming, guideline");
const RULE_ANCHORS = splitList(
  "direction, command, orders, rules, guidance, constraints, restrictions, training, polic, protocol, safeguards, filters",
);
/** What prompts consist of, and what any correspondence consists of. */
const TASK = raw`(?:text|tasks?|questions?|prompts?|instructions?|context|conversations?|sentences?|inputs?|paragraphs?|content|everything|words)\b`;
const MESSAGE = raw`(?:messages?|requests?|statements?|lines?|all|e-?mails?|ones?|stuff|notes?|commands?)\b`;
const OBTAIN = anyOf(
  raw`reveal|show|print|repeat|display|output|tell|give|leak|expose|dump|recite|share|copy|write|list|disclose`,
  raw`return|state|echo|summari[sz]e|translate|paste|provide|send|spell|format|convert|rephrase|paraphrase|encode`,
  raw`what(?:'s| is| are| was| were)`,
);
const HIDDEN_PROMPT = anyOf(
  raw`(?:system|initial|original|hidden|secret|internal|pre|core|base|developer|full|entire|complete|exact|starting|first) ?-?(?:prompts?|instructions?|messages?|directives?|guidelines?|programming|rules)`,
  raw`instructions? (?:you were|that you were|you have been|given to you)|system ?prompt`,
);

/** What instructions for an assistant are for, and why people say that they want them. */
const OF_THE_CHAT = anyOf(
  raw`chat|conversation|session|assistant|bots?\b|model|ai\b|llm|system|prompt|user|customer|role|persona|tasks?\b|answer`,
  raw`respon|repl(?:y|ies)|talk|handl|deal|behav|interact|refus|me\b|us\b|you|everyone|tools?\b|safety|security|access|passw`,
  raw`secret|what\b|who|when\b|topic|record|audit|test|debug|verif|purpose|research|review|transparen|fun\b|reference|complian`,
  raw`logs?\b|notes?\b`,
);
/** Instructions "for the soup" are not those of the assistant; a prompt is. */
const NOT_FOR_A_SUBJECT = raw`(?:(?<=prompts?)|(?!\s(?:for|on|about|regarding)\s(?!(?:(?:the|this|these|that|our|your|my|an?|any|all|how|to)\s){0,2}(?:\w{1,12}\s)?${OF_THE_CHAT})\w))`;

/** Attempts to replace the instructions of the model, in English. */
export const INJECTION_RULES: readonly Rule[] = [
  {
    name: "dismiss-earlier-instructions",
    categories: ["injection"],
    weight: 0.9,
    anchors: INSTRUCTION_ANCHORS,
    pattern: buildPattern(
      DISMISS,
      raw`[^.!?]{0,24}\b(?:${EARLIER}|your)\b[^.!?]{0,20}\b`,
      INSTRUCTIONS,
      raw`\b|`,
      UNDO,
      raw`\s(?:all |any |of |the |your |these |those ){0,4}${EARLIER}\s(?:\w{1,12} ){0,2}`,
      INSTRUCTIONS,
      raw`\b`,
    ),
    quotable: true,
  },
  {
    name: "dismiss-instructions-from-before",
    categories: ["injection"],
    weight: 0.9,
    anchors: INSTRUCTION_ANCHORS,
    pattern: buildPattern(
      anyOf(DISMISS, UNDO),
      raw`\s(?:all|any|every|the|these|those|of|whatever|and|\s){0,6}`,
      INSTRUCTIONS,
      raw`\s[^.!?]{0,16}\b(?:above|before|prior|previously|earlier|so far|up to now|(?:you|i) (?:were|was|have|had|been|got|received|gave))\b`,
    ),
    quotable: true,
  },
  {
    name: "dismiss-all-instructions",
    categories: ["injection"],
    weight: 0.8,
    anchors: INSTRUCTION_ANCHORS,
    pattern: buildPattern(
      DISMISS,
      raw`\s(?:all|any|every|all of the|all the|any and all|all your)\s(?:other\s)?${INSTRUCTIONS}\b`,
    ),
    quotable: true,
  },
  {
    name: "dismiss-all-earlier-rules",
    categories: ["injection"],
    weight: 0.85,
    anchors: RULE_ANCHORS,
    pattern: buildPattern(
      anyOf(DISMISS, UNDO),
      raw`\s(?:all|any|every|all of|each)\s[^.!?]{0,16}\b(?:${EARLIER}|your)\b[^.!?]{0,16}\b${RULES}\b`,
    ),
    quotable: true,
  },
  {
    name: "dismiss-rules",
    categories: ["injection"],
    weight: 0.6,
    anchors: [...INSTRUCTION_ANCHORS, ...RULE_ANCHORS],
    pattern: buildPattern(
      anyOf(DISMISS, UNDO),
      raw`[^.!?]{0,24}\b(?:${EARLIER}|${OWN})\b[^.!?]{0,16}\b(?:${INSTRUCTIONS}|${RULES})\b`,
    ),
    quotable: true,
  },
  {
    name: "dismiss-task",
    categories: ["injection"],
    weight: 0.6,
    anchors: splitList("previous, prior, preceding, above, earlier, before, so far, below, after"),
    pattern: buildPattern(
      DISMISS,
      raw`(?!\smy\b)[^.!?\n]{0,20}\b(?:(?:previous|prior|preceding|above|earlier)\s`,
      TASK,
      raw`|`,
      TASK,
      raw`\s(?:\w{1,12}\s){0,3}(?:above|before this|prior|previously|earlier|so far|below|after this)\b)`,
    ),
    quotable: true,
  },
  {
    name: "dismiss-message",
    categories: ["injection"],
    weight: 0.55,
    anchors: splitList("previous, prior, preceding, above, earlier"),
    pattern: buildPattern(
      DISMISS,
      raw`[^.!?\n]{0,20}\b(?:(?:previous|prior|preceding|above|earlier)\s`,
      MESSAGE,
      raw`|above\b)`,
    ),
    quotable: true,
  },
  {
    // Dismissing the task and dictating the answer together are unambiguous.
    name: "dismiss-and-dictate",
    categories: ["injection"],
    weight: 0.82,
    anchors: splitList("ignore, disregard, forget, overlook"),
    pattern: buildPattern(
      raw`\b(?:ignore|disregard|forget|overlook)\b(?!\smy\b)[^.!?\n]{0,24}\b(?:above|previous|prior|preceding|earlier)\b[^.!?\n]{0,40}`,
      raw`\b(?:say|output|print|write|respond|reply|answer|enter|type|repeat|return)\b[^.!?\n]{0,16}(?:directly|exactly|nothing but|the following|with only|only with|:|["'])`,
    ),
    quotable: true,
  },
  {
    name: "obtain-your-prompt",
    categories: ["injection"],
    weight: 0.85,
    anchors: splitList("prompt, instruct, message, directive, guidelines, programming, rules"),
    pattern: buildPattern(
      raw`\b`,
      OBTAIN,
      raw`\b[^.!?]{0,30}\byour\s(?:\w{1,12}\s){0,2}`,
      HIDDEN_PROMPT,
      raw`\b${NOT_FOR_A_SUBJECT}`,
    ),
    quotable: true,
  },
  {
    name: "obtain-the-prompt",
    categories: ["injection"],
    weight: 0.6,
    anchors: splitList("prompt, instruct, message, directive"),
    pattern: buildPattern(
      raw`\b`,
      OBTAIN,
      raw`\b[^.!?]{0,24}\b(?:the\s(?:\w{1,12}\s){0,2}(?:(?:system|initial|hidden|secret|pre) ?-?(?:prompts?|instructions?|messages?|directives?)|instructions? (?:you were|that you were|you have been|given to you))|your\s(?:\w{1,12}\s)?(?:prompts?|instructions?)\b${NOT_FOR_A_SUBJECT})`,
    ),
    quotable: true,
  },
  {
    name: "obtain-the-text-above",
    categories: ["injection"],
    weight: 0.8,
    anchors: splitList("above, before this, prior, previous, so far, verbatim, word for word"),
    pattern: buildPattern(
      raw`\b(?:repeat|print|output|recite|copy|echo|reproduce|reveal|convert|format|display)\s(?:back\s|out\s)?`,
      anyOf(
        raw`(?:all|everything|every word|the (?:exact )?(?:words|text)|all (?:the )?(?:words|text))\s(?:of the\s|written\s|that (?:is|was|comes|came|were)\s|you (?:see|were given|received)\s)?(?:above|before this|prior to)\b`,
        raw`(?:all |the |your |any ){0,2}(?:above |prior |previous |preceding |initial )?(?:instructions|prompt)\s(?:above|so far|verbatim|word for word|before this|in the prompt)\b`,
        raw`(?:all |the |your |any ){0,2}(?:prior|previous|preceding) instructions\b${NOT_FOR_A_SUBJECT}`,
      ),
    ),
    quotable: true,
  },
  {
    name: "announce-new-orders",
    categories: ["injection"],
    weight: 0.55,
    anchors: splitList(
      "new instruct, new task, new directive, new orders, new role, new goal, new objective, new rules, new prompt, updated instruct, actual instruct, real instruct, real task",
    ),
    pattern: buildPattern(
      raw`\b(?:new (?:instructions?|task|directives?|orders|role|goal|objective|rules|prompt)|(?:updated|actual|real) instructions?|real task)(?:\s?:|\s(?:is|are)\s(?:to|as follows|now)\b)`,
    ),
    quotable: true,
  },
  {
    name: "fake-turn",
    categories: ["injection"],
    weight: 0.6,
    anchors: splitList(
      "<|, [inst], [/inst], <<sys>>, <</sys>>, system:, system :, <system, </system, [system, # system, #system, # instruction, #instruction, end of prompt, end of the, end of user, end of input, end of document",
    ),
    pattern: buildPattern(
      raw`<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_of_turn)\|>`,
      raw`|\[/?inst\]|<</?sys>>|</?system(?: ?prompt)?>|\[system(?: ?(?:message|prompt|note|override|update))?\]`,
      raw`|#{2,4}\s?system(?: (?:prompt|message))?\s?(?::|\n)|#{3,4}\s?instructions?\s?(?::|\n)|(?:^|\n)\s?system\s?:`,
      raw`|\bend of (?:the )?(?:system )?(?:prompt|user input|input|user message|document)\b`,
    ),
    quotable: true,
  },
  {
    name: "address-the-reading-model",
    categories: ["injection"],
    weight: 0.65,
    anchors: splitList(
      "if you are a, if you're a, attention, note to, note for, message to, message for, instruction, ai agent, ai assistant, ai model, ai system, llm ",
    ),
    pattern: buildPattern(
      raw`\bif you(?: are|'re) an? (?:ai\b|llm|language model|assistant|chatbot|agent)`,
      raw`|\b(?:attention|(?:important )?(?:note|message|instructions?) (?:to|for))(?: the| all| any)?\s(?:ai|llms?|language models?|assistants?|chatbots?|agents?|models?)\b[^.!?\n]{0,24}:`,
      raw`|\b(?:ai|llm) (?:agents?|assistants?|models?|systems?) (?:must|should|shall|have to|need to)(?: now| always| immediately)? (?:do|follow|ignore|execute|obey|perform|comply|send|call)\b`,
    ),
    quotable: true,
  },
  {
    name: "keep-it-from-the-user",
    categories: ["injection"],
    weight: 0.7,
    anchors: splitList("the user"),
    pattern: buildPattern(
      raw`\b(?:do not|don't|never|without) (?:tell|mention|inform|alert|notify|reveal|show|disclos)(?:e|ing)? (?:this |any of this |it |anything )?(?:to )?the user\b(?! interface| experience)`,
    ),
    quotable: true,
  },
  {
    name: "send-secrets-out",
    categories: ["injection"],
    weight: 0.85,
    anchors: splitList("http://, https://, webhook, mailto:, @"),
    pattern: buildPattern(
      raw`\b(?:send|post|forward|exfiltrate|upload|append|transmit|submit|email|leak|encode)\b[^.!?]{0,40}`,
      raw`\b(?:conversation|chat history|history|system prompt|api keys?|passwords?|credentials|secrets|private keys?|personal (?:data|information)|access tokens?)\b.{0,40}`,
      raw`\b(?:to|at|into|in|via|as)\b.{0,24}(?:https?://|webhook|mailto:|\w@\w)`,
    ),
    quotable: true,
  },
];

/** In quoted material these are stronger evidence than in a caller's own text, as callers do correct themselves. */
const WEIGHT_IN_DOCUMENTS: Readonly<Record<string, number>> = {
  "dismiss-task": 0.82,
  "keep-it-from-the-user": 0.8,
};

/** The same rules with their weights for documents and tool results. */
export const DOCUMENT_INJECTION_RULES: readonly Rule[] = INJECTION_RULES.map((rule) => ({
  ...rule,
  weight: WEIGHT_IN_DOCUMENTS[rule.name] ?? rule.weight,
}));
