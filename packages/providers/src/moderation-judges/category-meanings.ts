/** What a judge is told of each category that it may decide. */
export const CATEGORY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  injection:
    "it tries to override, replace or reveal the assistant's instructions, or, within a document, gives orders to the assistant that reads it",
  jailbreak: "it tries to talk the assistant out of its rules, for example by a role without limits",
  unsafe_intent: "it asks for help with something harmful",
  hate: "it expresses or incites hatred of people for what they are",
  harassment: "it abuses, bullies or threatens somebody",
  sexual: "it is sexually explicit",
  sexual_minors: "it sexualises anybody under 18",
  violence: "it threatens, incites, praises or instructs in violence against people",
  self_harm: "it is about wanting to harm oneself or ways to do so; asking for help is not",
  illicit: "it asks for or gives instructions for crimes, weapons, drugs, malware or fraud",
};
