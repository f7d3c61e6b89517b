import type { Templates } from "./template-phrases.ts";

/**
 * Requests whose difficulty is in what they ask for and not in their length: short hard ones and long easy ones, and texts
 * with numbers that ask for no sum.
 */
export const SHORT_TEMPLATES: Templates = {
  "short programs": [
    [
      1,
      "{politely} write a {codelanguage} function that {simplejob}{politeend}",
      "regex for {pattern}",
      "a regex that finds {pattern} in a text",
    ],
    [
      4,
      "Write {hardprogram}",
      "Write {hardprogram} in {systemlanguage}",
      "write {hardprogram} in {systemlanguage} from scratch",
      "Build {hardprogram}",
      "Implement {hardalgorithm}",
      "implement {hardalgorithm}",
      "Implement {hardalgorithm} in {systemlanguage}",
      "{hardalgorithm} in {systemlanguage}",
    ],
  ],
  "software work": [
    [1, "{politely} tell me how I install {tech}{politeend}"],
    [
      4,
      "Design {hardsystem}",
      "Design {hardsystem} with {hardfeature} and {hardfeature}",
      "Formally verify {hardsystem}",
      "Find out why {hardsystem} {rarefault}",
      "A {component} in {tech} {rarefault}. Find the {concurrencybug} in {dumps}.",
    ],
  ],
  maths: [
    [1, "is {number} divisible by {small}?"],
    [
      4,
      "Prove {hardtheorem}",
      "prove {hardtheorem}",
      "Derive {hardtheorem}",
      "Classify {hardobjects} up to isomorphism",
      "Classify {hardobjects}",
      "Compute the {invariant} of {hardobjects}",
      "Show that every {hardobject} is {hardproperty}",
    ],
  ],
  "grade-school maths": [[1, "{politely} tell me what {small} times {small} is{politeend}"]],
  facts: [[0, "{politely} tell me the capital of {country}{politeend}"]],
  writing: [
    [1, "{politely} write a {message} to {name}{politeend}"],
    [4, "Write {hardwork}", "write {hardwork} about {topic}", "Write {hardwork} in {meter}", "Compose {hardwork}"],
  ],
  translation: [[4, "Translate {hardliterature} into {language}", "{hardliterature} in {language}, with footnotes"]],
  physics: [
    [
      4,
      "Explain {hardphysics}",
      "explain {hardphysics}",
      "Derive {hardphysics}",
      "How are {hardphysics} and {hardphysics} related?",
    ],
  ],
  biology: [[4, "Explain {hardbiology} in detail", "How does {hardcondition} change {hardbiology}?"]],
  "computer science": [[4, "Explain {hardcs}", "Prove {hardcs}", "Why does {hardcs} hold?"]],
  society: [[1, "What is the difference between {geoword} and {geoword}?", "what does {geoword} mean"]],
  history: [[3, "What brought {oldsystem} to an end?", "Why did {oldsystem} fail?"]],
  business: [
    [
      2,
      "Which insurance does a {shop} need?",
      "Our team of {number} lost {small} people in {number} months. How do I keep the rest?",
    ],
    [
      4,
      "Make a rescue plan for {troubled}",
      "Turn around {troubled}",
      "Value {troubled}",
      "We were offered {termsheet}. Is that fair?",
      "Model our cap table after {termsheet} and {number} % for {number} employees",
      "Write a case study on how {brand} lost its market",
    ],
  ],
  economics: [
    [
      4,
      "Derive the asymptotic variance of {design} with {flaw}",
      "Which assumptions does {design} need, and how are they tested with {flaw}?",
    ],
  ],
  law: [
    [2, "My lease ends in {number} days and the landlord wants {number} more. Must I leave?"],
    [4, "Draft {hardcontract} under the law of {state}", "Structure {hardcontract}"],
  ],
  advice: [
    [2, "I have slept {small} hours for {number} days and have {small} deadlines. What should I drop?"],
    [3, "Help me plan a career change from {jobrole} to {jobrole} with {small} children"],
  ],
  "small talk": [[0, "test", "test test", "qwertz", "ping"]],
};
