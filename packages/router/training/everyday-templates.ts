/**
 * Templates of requests as people write them, by domain, each with how hard it is: 0 anybody can, 1 easy, 2 ordinary,
 * 3 demanding, 4 for experts. `{name}` stands for a word or phrase of the list of that name.
 */
export const EVERYDAY_TEMPLATES: Readonly<Record<string, readonly (readonly [Level, ...string[]])[]>> = {
  "small talk": [
    [
      0,
      "{greeting}",
      "{greeting}{mark}",
      "{greeting} {name}{mark}",
      "{thanks}{mark}",
      "{greeting}, {smalltalk}",
      "{smalltalk}",
      "{thanks}, {closing}",
      "{closing}{mark}",
      "{reaction}",
      "{reaction} {closing}",
      "{reaction}, {thanks}",
      "{feeling}",
      "{reaction}, {feeling}",
      "you're {praise}{mark}",
      "you are {praise}",
    ],
  ],
  facts: [
    [
      0,
      "What is the capital of {country}?",
      "what's the {largest} {place} in {country}?",
      "who {made} {work}?",
      "What colour is {plainthing}?",
      "How many {units} are in a {unit}?",
      "what currency do they use in {country}",
      "What language is spoken in {country}?",
      "which continent is {country} on?",
      "When did {event} happen?",
      "when did {event} end",
      "when was {event}?",
      "what day is {holiday} this year?",
    ],
    [
      1,
      "When was {person} born?",
      "What year did {event} begin?",
      "how long is the {river}?",
      "how tall is {mountain}",
      "How high is {mountain}, and where is it?",
      "Who was the first {office} of {country}?",
      "What is the population of {country}?",
      "how far is it from {city} to {city}?",
      "in which year was the {product} released?",
      "what year did the {product} first come out",
      "Who wrote {work} and when?",
    ],
  ],
  writing: [
    [
      1,
      "Write a {shortpiece} about {topic}.",
      "write me a {shortpiece} for {name}",
      "{greeting}, can you write a {shortpiece} about {nature}?",
      "Write a {tone} {message} to {name} about {topic}.",
      "Draft a {tone} {message} asking {name} for {favour}.",
      "draft a {message} to my {boss} asking for {favour}",
      "Give me ten {ideas} for {topic}.",
      "Write a {occasion} message for my {relative}",
      "{occasion} wishes for my {relative}, who turns {number}",
      "A caption for a photo of {nature}",
      "Make this sound more {tone}: {sentence}",
      "Fix the grammar: {sentence}",
      "proofread: {sentence}",
      "Please proofread and correct this: {sentence}",
      "{compose} a {shortpiece} in the voice of {character}",
      "{compose} a {shortpiece} for {character}",
      "{compose} a catchy name for my new {shop}",
      "{compose} {ideas} for {topic}",
      "I need {aletter} to {name} about {topic}",
      "I need {aletter} to a {customer} whose {plainthing} {mishap}",
      "Word this better: {sentence}",
      "How can I phrase this {tone}ly? {sentence}",
      "I want a {tone} {piece2} for {plainthing}",
      "Make my {piece2} sound less {tone}: {sentence}",
      "{piece2} for {topic}",
      "lyrics for a {shortpiece} about {nature}",
      "say this in a {tone} way: {sentence}",
      "make a rhyme with {nature} and {character}",
      "edit this so it flows better: {sentence}",
      "reply politely to this message: {sentence}",
    ],
    [
      2,
      "Write a {tone} {longpiece} about {topic}.",
      "Write a {longpiece} for {name}, {tone} but not {tone}, about {number} minutes long.",
      "Write a speech for the {occasion} of my {relative}, {tone} and not too long",
      "Rewrite my {profile} so that it sounds more {tone}: {sentence}",
      "Improve my {profile}: {sentence} {sentence}",
      "Write a cover letter for a job as {job}.",
      "Write a {tone} product description of {plainthing} for an online shop.",
      "Write a bedtime story about {nature} and {relative}",
      "{compose} a {longpiece} about {topic}",
      "{compose} {character}'s monologue for my {game}",
      "Turn these notes into a {longpiece}: {sentence} {sentence}",
      "Help me describe {character} for my {game}",
      "Continue this story: {sentence}",
      "Write a scene where {character} and {character} argue about {plainthing}",
      "Write a dialogue between {character} and my {relative}",
      "rap lyrics about {topic}",
    ],
    [
      3,
      "Write a {strictpoem} in {strict} {meter} about {topic}, in which {constraint}.",
      "Write the {chapter} of a {genre} novel set in {city} with {narration}.",
      "Write a {strictpoem} about {nature} where {constraint} and {constraint}.",
      "Write a {genre} screenplay scene with {narration}, {number} characters and {constraint}.",
      "Write a literary essay that imitates the style of {person} with {narration} and {constraint}",
    ],
  ],
  translation: [
    [
      0,
      "How do you say {phrase} in {language}?",
      "what is {phrase} in {language}",
      "{phrase} in {language}?",
      "what's the {language} word for {plainthing}?",
    ],
    [
      1,
      "Translate '{question}' into {language}.",
      "Translate to {language}: {sentence}",
      "please translate this to {language}: {question}",
      "Translate the following into {language}: {sentence}",
      'What does "{foreign}" mean in English?',
      "put this into {language}: {sentence}",
      "Could you translate my {doc} into {language}? {sentence}",
      "I need this {doc} in {language}: {sentence}",
      "What's '{word}' in {language}?",
      "'{word}' in {language}",
      "What would '{word}' be in {language}?",
      "what does '{word}' mean in {language}",
      "What would '{foreignword}' be in English?",
      "meaning of '{foreignword}' in English",
      "Is there an English word for '{foreignword}'?",
      "Translate '{phrase}' to {language}",
    ],
    [
      3,
      "Translate this {legaltext} into {language} and keep every {term} exact: {foreign}",
      "Translate this {legaltext} from {language} to {language}, keep the {term}s precise and explain doubtful ones: {foreign}",
      "Translate the poem into {language}, keeping rhyme, {meter} and double meanings: {foreign}",
    ],
  ],
  summarising: [
    [
      1,
      "Summarise this in one sentence: {sentence} {sentence}",
      "tl;dr please: {sentence} {sentence} {sentence}",
      "Summarize the following text: {sentence} {sentence}",
      "Shorten this: {sentence} {sentence}",
      "What are the main points here? {sentence} {sentence} {sentence}",
      "Give me the gist of this email: {sentence} {sentence}",
      "{boil} this {doc} {down}: {sentence} {sentence}",
      "{boil} the following {down}: {sentence}",
      "In short, what does this {doc} say? {sentence} {sentence}",
      "Sum up {docpart} in {few}: {sentence} {sentence}",
      "What are the takeaways from these {docs}? {sentence} {sentence}",
      "Summarise {docpart}: {sentence}",
      "What is this {doc} about? {sentence} {sentence}",
      "recap: {sentence} {sentence}",
      "{sentence} {sentence} Summarise that.",
      "key takeaways of this {doc}: {sentence} {sentence}",
    ],
    [
      2,
      "Make meeting notes with decisions and open questions from this: {sentence} {sentence} {sentence} {sentence}",
      "Condense this report into {number} bullet points for {name}: {sentence} {sentence} {sentence}",
    ],
  ],
  extraction: [
    [
      1,
      "Pull out all the {entities} from this text: {sentence} {sentence}",
      "List every {entity} in this: {sentence} {sentence}",
      "find the {entity} in the following message: {sentence}",
      "Extract the {entities} from the text below as JSON: {sentence}",
      "Is this review positive or negative? '{sentence}'",
      "Is the writer of this {pleased}? '{sentence}'",
      "Label this ticket as bug, question or complaint: {sentence}",
      "{sortverb} these {comments} into {class} and {class}: '{sentence}', '{sentence}'",
      "{getverb} the {entity} and the {entity} out of this: {sentence}",
      "{getverb} the {entity} from: {sentence}",
      "Which {entities} are mentioned here? {sentence}",
      "Parse this into fields: {sentence}",
      "From the text, list every {entity} and {entity}: {sentence} {sentence}",
      "Does this {doc} sound {pleased}? '{sentence}'",
      "Is this {doc} {pleased} or {pleased}: {sentence}",
      "What is the sentiment of this? {sentence}",
      "Detect the language of this: {foreign}",
      "Who is mentioned in this text? {sentence}",
      "Make a table of the {entities} in: {sentence} {sentence}",
      "Return JSON with {entity} and {entity}: {sentence}",
      "Tag each line as {class} or {class}: {sentence}",
    ],
    [
      2,
      "Is this customer {pleased} or {pleased}? '{sentence}'",
      "Which of these sentences is sarcastic? '{sentence}' '{sentence}'",
      "Turn this into a CSV table with the columns {entity}, {entity} and {entity}: {sentence} {sentence}",
    ],
  ],
  "short programs": [
    [
      1,
      "Write a {codelanguage} function that {simplejob}.",
      "{classic} in {codelanguage} please",
      "{codelanguage} code that {simplejob}",
      "how do I {simpletask} in {codelanguage}?",
      "{classic} {codelanguage}",
      "write a {classic} program in {codelanguage}",
      "Write a regular expression that matches {pattern}.",
      "simple {codelanguage} script that {simplejob}",
      "Write a {codelanguage} one-liner that {simplejob}",
      "Convert this {codelanguage} loop into a {codestyle}: for x in xs: total += x",
      "rewrite this as a {codestyle}: for (const x of list) {{ out.push(x + 1) }}",
      "one-liner to {shelltask}",
      "how can I read a {fileformat} file in {codelanguage}",
      "parse {fileformat} in {codelanguage}",
      "{errorname}: {errortext}, what now?",
      "{errorname}: {errortext}",
      "what does {errorname} mean in {codelanguage}?",
      "Rewrite this {codestyle} with {codestyle}s",
      "unit test for a function that {simplejob}",
    ],
    [
      2,
      "Write a {codelanguage} function that {mediumjob}, with tests.",
      "Implement {structure} in {codelanguage}.",
      "Write a {codelanguage} program that {mediumjob} and handles errors.",
    ],
    [
      3,
      "Write a {compiler} in {codelanguage} for {grammar} with {compilerfeature} and {compilerfeature}.",
      "Implement {hardstructure} in {codelanguage} and analyse its complexity.",
      "Implement {hardstructure} in {codelanguage} with {compilerfeature}",
    ],
  ],
  "software work": [
    [
      1,
      "How do I {webtask} with {webtech}?",
      "git: {gittask}",
      "how to {gittask} in git",
      "{webtech}: how can I {webtask}?",
      "how do I install {tech} on {system}",
      "what is the command to {shelltask} in the terminal",
    ],
    [
      2,
      "Why does my {tech} {symptom}?",
      "My {tech} {component} {symptom}, what does that mean?",
      "Why is my {component} {symptom}?",
      "I get '{error}' from my {tech} {component}. How do I fix it?",
      "Add {feature} to this {tech} {component}",
      "Make a responsive {widget} in {webtech}",
      "Build a {widget} with {tech}",
      "Migrate this {component} from {tech} to {tech}",
      "Speed up this {tech} {component}",
      "Write a {fileformat} config for {tech}",
      "How should I structure tests for a {tech} {component}?",
      "Add {feature} to my {tech} {component}, show the code",
    ],
    [
      3,
      "Design {architecture} for {business} with {quality} and {quality}.",
      "Design an API and the {component}s of {architecture} with {quality}, and explain the trade-offs.",
      "Refactor our {tech} monolith into {architecture} with {quality} and without downtime",
      "How would you migrate {business} from {tech} to {tech} with {quality}?",
    ],
    [
      4,
      "Implement a {lockfree} {concurrent} in {systemlanguage} with {reclamation}.",
      "Find the {concurrencybug} in our {distributed} and prove that your fix is {consistency} under {adversity}.",
      "Write a {lockfree} {concurrent} in {systemlanguage} and prove its {consistency} under {adversity}",
      "Debug a {concurrencybug} in a {lockfree} {concurrent} with {reclamation} on a weak memory model.",
      "Design {distributed} that stays {consistency} under {adversity}, with a proof",
      "Write an optimising compiler pass in {systemlanguage} for loop vectorisation with alias analysis",
    ],
  ],
  "database queries": [
    [
      1,
      "SQL to count the rows of the table {table}",
      "select all {table} with {column} above {number} in SQL",
      "How do I delete duplicate rows in {database}?",
    ],
    [
      2,
      "Write a SQL query for the {number} {table} with the highest {column} last {period}.",
      "Write a query that shows the average {column} of {table} by {column} and {period}",
      "SQL: which {table} had no {table} in the last {period}?",
      "Which index do I need for this {database} query on {table} by {column}?",
    ],
    [
      3,
      "Design a database schema for {business} with {quality} and {quality}.",
      "Model the tables of {business} in {database} with {quality}, constraints and indexes",
      "Optimise this {database} query with window functions over {number} million {table}, explain the plan and the trade-offs",
    ],
  ],
  "grade-school maths": [
    [
      1,
      "What is {number} times {number}?",
      "what's {number} {plus} {number}",
      "{number} {plus} {number}",
      "calculate {number}% of {number}",
      "If a {goods} costs {dollars} and is {number}% off, what do I pay?",
      "{person1} has {number} {fruits} and buys {number} more. How many are there?",
      "split a bill of {dollars} between {number} people with {number}% tip",
      "A {vehicle} leaves at {small}:{number} and arrives at 1{small}:{number}. How long does it take?",
      "what's {number} percent tip on {number}.50",
      "How many {units} are {number} {units}?",
      "A {vehicle} drives {number} km in {small} hours. How fast is it?",
      "A {goods} cost {number} euros before a discount of {number} percent. What is the price now?",
    ],
  ],
  maths: [
    [
      1,
      "Solve {small}x {plussign} {small} = {number}",
      "solve for x: {small}x {plussign} {small} = {small}x",
      "What is the area of a circle with radius {small}?",
      "simplify ({small}x {plussign} {small})({small}x {plussign} {small})",
      "what is the square root of {number}",
    ],
    [
      2,
      "What is the probability of {chance} in {small} {trials}?",
      "How likely is {chance} with {small} {trials}?",
      "Compute the {calculus} of {expression}.",
      "find the {calculus} of {expression} dx",
      "What are the eigenvalues of the matrix [[{small},{small}],[{small},{small}]]?",
      "Differentiate {expression} with respect to x",
    ],
    [
      3,
      "Prove that {claim}.",
      "Prove that {claim} and extend the proof to {extension}.",
      "Show by induction that {claim}",
      "Explain {theorem} rigorously, and why {argument} works.",
      "Explain the proof of {theorem} and where {argument} is needed.",
    ],
  ],
  "competition maths": [
    [
      4,
      "Prove that there are infinitely many {numbers} of the form {small}k+{small}, without {theorem}.",
      "Find all functions f from the {numberset} to the {numberset} with {equation} for all x and y.",
      "Determine all {numbers} n such that {divisibility}, with proof.",
      "Prove or disprove: {claim} for all {numbers}, without {theorem}.",
      "Let G be a finite group in which {grouplaw}. Prove that G is {groupkind}.",
    ],
  ],
  physics: [
    [
      1,
      "Why is {sky} {skycolour}?",
      "why do {things} {behave}?",
      "Explain {physicstopic} to a {child}",
      "what makes {sky} {skycolour}",
    ],
    [2, "How does {machine} work?", "Explain {physicstopic} with an example and the formula."],
    [
      4,
      "Derive {physicsresult} of {physicsobject} from {physicsbasis} and discuss the {limit}.",
      "Derive {physicsresult} from {physicsbasis} for {physicsobject}, including the {limit}",
      "Calculate {physicsresult} of {physicsobject} to second order in perturbation theory.",
    ],
  ],
  biology: [
    [
      1,
      "Explain {biologytopic} to a {child}",
      "what is {biologytopic}?",
      "why do {animals} {animaldo}?",
      "explain {biologytopic} in simple words",
    ],
    [2, "How does {biologytopic} differ from {biologytopic}?", "Which role does {biologytopic} play in evolution?"],
    [4, "Derive the fixation probability of {biologytopic} under drift and selection, and discuss the {limit}."],
  ],
  chemistry: [
    [1, "What happens when {chemical} reacts with {chemical}?", "Why is {chemical} {property}?"],
    [2, "Balance the equation of {chemical} and {chemical} and explain the steps."],
    [4, "Propose a total synthesis of {drug} with stereochemistry and justify each protecting group."],
  ],
  health: [
    [
      1,
      "What are the symptoms of {illness}?",
      "how do you treat {illness} at home",
      "how long does {illness} last?",
      "is {illness} contagious?",
      "what helps against {ache}?",
    ],
    [
      2,
      "What do high {labvalue} values in a blood test mean?",
      "I have had {ache} for {number} days, when should I see a doctor?",
      "What are the side effects of {drug}?",
    ],
    [
      3,
      "Can I take {drug} together with {drug}, and what are the risks with {condition}?",
      "What are the interactions of {drug} and {drug} in a patient with {condition}?",
      "How should the dose of {drug} be adjusted with {condition}, and which interactions with {drug} matter?",
      "Differential diagnosis of {ache} and high {labvalue} in a patient with {condition} on {drug}",
    ],
  ],
  law: [
    [
      2,
      "My {landlord} {wrong}. What can I do?",
      "my {landlord} {wrong}, is that legal?",
      "Can my {landlord} {wrong2} without notice?",
      "What are my rights if a {landlord} {wrong}?",
      "Is a {contract} without a signature binding?",
      "What does a {contract} have to contain?",
    ],
    [
      3,
      "Draft a {clause} for a {contract} that is enforceable in {state} and {state}.",
      "Review this {clause} of a {contract} under the law of {state}, cite the case law and name the risks.",
      "How do {state} and {state} differ on {clause}s in a {contract}? Cite precedents.",
    ],
  ],
  history: [
    [
      2,
      "What caused {war}?",
      "why did {war} begin?",
      "What were the consequences of {war}?",
      "How did {war} change {country}?",
      "what led to {war}",
    ],
    [3, "Compare the historiography of {war} and {war}, with sources and disputed points."],
  ],
  philosophy: [
    [
      2,
      "Compare {philosopher} and {philosopher} on {virtue}.",
      "What did {philosopher} think about {virtue}?",
      "How do {philosopher} and {philosopher} differ about {virtue}?",
      "explain {philosopher}'s view of {virtue}",
    ],
    [3, "Reconstruct {philosopher}'s argument about {virtue} formally and give the strongest objection."],
  ],
  economics: [
    [1, "what is {economy}?", "Explain {economy} in simple words"],
    [2, "How does {economy} affect {economy}?", "Why did {economy} rise in {country}?"],
    [4, "Derive the equilibrium of {economy} in a model with {economy} and incomplete information."],
  ],
  business: [
    [
      2,
      "How do I price {plainthing} for my {shop}?",
      "Write a business plan outline for a {shop}.",
      "What is a good marketing strategy for a {shop}?",
    ],
  ],
  "computer science": [
    [1, "What is {cstopic}?", "explain {cstopic} to a {child}"],
    [2, "How does {cstopic} work, and when is it used?", "What is the difference between {cstopic} and {cstopic}?"],
    [4, "Prove that {cshard} is NP-hard by a reduction, and give an approximation algorithm with its bound."],
  ],
  "code reading": [
    [
      2,
      "What does this {codelanguage} code do? for (i = 0; i < {small}; i++) {{ total += a[i] * {small}; }}",
      "Explain this one-liner: print(sum(x for x in range({small}) if x % {small} == 0))",
    ],
  ],
  advice: [
    [
      1,
      "What can I cook {tonight} with {food}, {food} and {food}?",
      "what should I {tonightdo} {tonight}?",
      "recipe with {food} and {food}",
      "Should I learn {hobby} or {hobby}?",
      "should I buy {plainthing} or {plainthing}?",
      "Recommend me a {media} like {work}.",
      "which {pet} is best for a small flat?",
      "give me a simple {workout} for beginners",
      "What's a good {thing4} for {person2}?",
      "Suggest a {meal} for {number} people, one is {diet}",
      "ideas for {person2}'s {occasion}",
      "gift for {person2}?",
    ],
    [
      2,
      "Plan a {duration} in {country} for {travellers}.",
      "plan a {duration} trip to {city} with {travellers}",
      "How do I ask for {favour} when my {boss} {difficulty}?",
      "How do I tell my {relative} that {difficulty2}?",
      "How can I stop {habit}?",
      "I can't decide whether to {lifechange}. What should I consider?",
      "My {relative} {difficulty}. What should I do?",
      "Make a {duration} study plan for {hobby}",
      "My {relative} {annoys}, should I say something?",
      "How should I prepare for {challenge} in {number} weeks?",
      "I feel {sad} since {difficulty2}. What now?",
    ],
  ],
};

export type Level = 0 | 1 | 2 | 3 | 4;

const LISTS: Readonly<Record<string, string>> = {
  greeting: "hi|hello|hey|hey there|good morning|good evening|hiya|yo|hello there|howdy|morning",
  mark: "!|.| :)|!!||?",
  name: "Anna|Mr Lopez|the team|Priya|Dr Chen|our customers|Tom|the manager|Fatima|my neighbour|everyone|buddy",
  thanks:
    "thanks|thank you|thank you so much|thanks a lot|great, thanks|cheers|much appreciated|that was helpful|you helped me a lot|that worked",
  closing: "bye|see you|talk later|that's all|that is all for now|never mind|good night|have a nice day|forget it",
  reaction: "ok|lol|haha|cool|nice|wow|sure|yes|no|hm|great|got it|perfect|awesome|not really|haha ok",
  smalltalk:
    "how are you?|how are you doing today?|what's up?|how is your day?|how's everything?|are you there?|can we talk?|nice to meet you|who are you?|tell me a joke|what can you do?|how do you feel?|did you sleep well?|how is it going?|how goes it|do you get tired?|do you like music?|are you real?|what do you mean?|that is not what I asked|try again please|let us start|ready?|hold on|wait a second|good job|I am bored",
  country:
    "Italy|Spain|Peru|Japan|Kenya|Canada|Brazil|Norway|Egypt|India|Australia|Poland|Chile|Vietnam|Greece|Morocco|Finland|Portugal|Thailand|Mexico|Germany|China|Nepal",
  city: "Paris|Boston|Tokyo|Nairobi|San Francisco|Berlin|Lima|Mumbai|Sydney|Toronto|Vienna|Prague|Seoul|Dublin|Naples",
  largest: "largest|biggest|smallest|oldest|highest|longest|most visited",
  place: "city|lake|island|river|mountain|museum|desert|airport",
  made: "wrote|painted|directed|composed|invented|sang|discovered|designed|built",
  work: "Hamlet|the Starry Night|The Godfather|the Ninth Symphony|the telephone|Don Quixote|Guernica|War and Peace|the light bulb|penicillin|The Scream|Titanic|the Eiffel Tower|Pride and Prejudice|the David",
  plainthing:
    "a banana|a headphone|a bicycle|a candle|grass|a laptop|a coffee machine|a backpack|snow|a used car|a lamp|soap|bread|water",
  units: "minutes|metres|grams|inches|seconds|weeks|centimetres|hours|days|months|ounces",
  unit: "day|kilometre|pound|foot|year|decade|mile|week|month|century|leap year|gallon",
  holiday: "Easter|Thanksgiving|Christmas|Diwali|New Year|Labour Day",
  event:
    "the moon landing|the French Revolution|the fall of Rome|the Second World War|the Titanic disaster|the Cold War|the Wall Street crash|the American Civil War|the Chernobyl disaster|the Olympic Games in Rome",
  person:
    "Marie Curie|Mozart|Shakespeare|Einstein|Frida Kahlo|Napoleon|Virginia Woolf|Hemingway|Borges|Cleopatra|Darwin",
  river: "Nile|Danube|Amazon|Mississippi|Rhine|Ganges|Thames",
  mountain: "Mount Everest|the Matterhorn|Mount Fuji|Denali|K2|Mont Blanc|Aconcagua",
  office: "president|queen|prime minister|chancellor|king",
  product: "Walkman|PlayStation|Game Boy|Kindle|Tesla Roadster|iPad|Macintosh|Polaroid camera|Xbox|Windows 95",
  topic:
    "our new office|the spring sale|a delayed delivery|solar panels|a lost suitcase|the budget meeting|remote work|a wedding|a bakery|the city marathon|a refund|electric cars|my grandmother|a mobile app|coffee beans|a garden party|a job interview|bike lanes|the museum|a podcast|loneliness|the sea|my dog",
  nature:
    "winter snow|the ocean|a summer storm|falling leaves|the moon|cherry blossoms|a quiet forest|rain on a roof|a cat|spring|the desert at night|autumn|a lighthouse",
  shortpiece:
    "haiku|limerick|short poem|tweet|slogan|joke|two-line rhyme|riddle|caption|greeting card|text message|poem",
  longpiece: "short story|blog post|speech|toast|song|newsletter|press release|fairy tale|eulogy|article|monologue",
  message: "email|letter|text message|note|reply|invitation|message",
  tone: "friendly|formal|short|funny|polite|persuasive|warm|professional|apologetic|embarrassing|exciting|boring|serious",
  favour:
    "a day off|a raise|more time|a refund|a recommendation|a meeting on Friday|a pay rise|help|a promotion|leave next week|an extension",
  boss: "boss|manager|team lead|employer|company|supervisor|teacher|professor",
  ideas: "names|slogans|headlines|ideas|titles|taglines",
  occasion: "birthday|wedding|graduation|anniversary|farewell|retirement|baby shower|Christmas|get well",
  relative:
    "brother|mother|father|daughter|son|aunt|best friend|grandfather|cousin|wife|husband|colleague|sister|friend",
  profile: "CV|dating profile|bio|LinkedIn headline|profile text|about page|résumé summary",
  job: "an accountant|a nurse|a software engineer|a teacher|a barista|a data analyst|a gardener",
  strictpoem: "sonnet|villanelle|sestina|ghazal|pantoum|ballad|acrostic",
  strict: "strict|perfect|exact|flawless",
  meter: "iambic pentameter|dactylic hexameter|trochaic tetrameter|terza rima|alexandrines",
  constraint:
    "every line ends in the same sound|no word has the letter e|the initial letters spell a name|each stanza mirrors the one before|the lines can be read backwards|the last words form a secret message|each sentence is one word longer|two time lines run in parallel",
  chapter: "first chapter|opening chapter|closing chapter|opening scene|prologue",
  genre: "noir|gothic|science fiction|historical|magical realist|crime|satirical",
  narration:
    "an unreliable narrator|two alternating narrators|a second-person narrator|several intertwined plot lines|a stream of consciousness|a story within the story",
  sentence:
    "The meeting was moved to Thursday because two of the speakers could not travel.|Sales rose by 4% in the second quarter, mostly thanks to the new stores.|She has lived in the house for thirty years and knows every neighbour.|The company announced on Monday that it will close its oldest factory.|Please find attached the contract, which we ask you to sign by Friday.|The hotel was clean and quiet, but breakfast ended far too early.|Order 48213 was shipped to Maria Keller, 12 Park Street, on 3 May 2024 for 59.90 EUR.|John Smith (john.smith@example.com) called about invoice 2231 and wants a refund.|Our flight was cancelled and nobody at the desk could help us.|I have worked in sales for seven years.|The phone broke after two days, thanks for nothing.|The mayor opened the new library on Saturday. Visitors came from the whole region.|I ordered the blue one and got a red one, brilliant service.|The road will stay closed until spring while workers replace the pipes.|Contact us at info@shop.example or +44 20 7946 0000.|I am a nurse and I like hiking.",
  piece2:
    "out-of-office reply|announcement|headline|bio|job ad|product launch post|welcome text|thank-you speech|review|slogan|voicemail greeting|Instagram post|obituary|wedding vow|menu text|tagline|love letter",
  docpart:
    "the plot of this book|this chapter|the minutes|the argument of this text|this conversation|the news below|this thread|the story|these notes|my essay",
  few: "two lines|a sentence|one paragraph|a few words|50 words|five bullets",
  docs: "minutes|notes|results|comments|slides|pages|paragraphs",
  foreignword: "Schadenfreude|saudade|hygge|Gemütlichkeit|flâneur|tertulia|dolce far niente|Fernweh|komorebi|sobremesa",
  fileformat: "CSV|JSON|XML|YAML|toml|Excel|parquet|ini|csv|json|xml",
  errorname:
    "TypeError|ValueError|KeyError|NullPointerException|ReferenceError|IndexError|AttributeError|ImportError|SyntaxError|RuntimeError|ModuleNotFoundError|error TS2345",
  errortext:
    "cannot read property of null|list index out of range|invalid literal for int|object is not callable|'NoneType' has no attribute|unexpected token|x is not defined|unsupported operand type|not iterable|no module named requests",
  widget:
    "navbar|modal|dropdown|carousel|login page|landing page|table|date picker|footer|sidebar|chat window|image gallery",
  compose: "compose|come up with|think of|invent|write|make up|create|brainstorm|Compose|Come up with|Create",
  character:
    "a pirate|a robot|an old wizard|a villain|a lonely queen|a talking cat|a ghost|a detective|a time traveller|a dragon|a bored clerk",
  aletter:
    "an apology letter|a complaint letter|a thank-you note|a resignation letter|a reference letter|an invitation|a short reply",
  customer: "customer|client|guest|tenant|student|patient",
  mishap: "arrived broken|got lost|was late|was stolen|never arrived|was the wrong one",
  game: "novel|D&D game|role-playing campaign|play|short film|comic|screenplay",
  boil: "boil|cut|condense|break|Condense|shorten|reduce|Trim",
  down: "down to the essentials|to three points|down to a paragraph|to one line|into two sentences|to the key facts|down into bullets",
  doc: "article|menu|letter|report|post|paper|contract|review|page|email|speech|story",
  sortverb: "Sort|Group|Classify|Divide|Split|Categorise|Put",
  comments: "messages|reviews|emails|items|sentences|tickets|comments",
  class: "spam|urgent|positive|negative|question|complaint|ham|important|off-topic|praise",
  getverb: "Get|Take|Read|Extract|Pull|Find|Grab|Copy",
  word: "butter|house|tomorrow|friend|library|rain|bridge|spoon|squirrel|window|dream|umbrella",
  codestyle: "list comprehension|map call|lambda|generator|one-liner|while loop|stream|reduce call|recursive function",
  feeling:
    "I'm so tired|I'm happy today|what a day|ugh, Mondays|I can't sleep|I'm hungry|it's raining again|I had a great day|I feel lonely today|so bored right now|I missed you",
  praise: "great|awesome|so smart|funny|the greatest|amazing|a star|kind|a lifesaver|wrong|not helpful",
  thing4: "gift|book|plant|hobby|sport|haircut|phone|bed|present|breed|laptop",
  person2:
    "a dark room|my dad|a beginner|a teenager|someone who has everything|a small flat|my teacher|a tall person|my colleague",
  meal: "dinner menu|three-course meal|brunch|barbecue|picnic|buffet|lunch",
  diet: "vegetarian|allergic to nuts|gluten-free|a child|on a diet|lactose intolerant",
  annoys:
    "always comes late|forgot my birthday|borrows money|never calls back|talks too much|lies to me|cancelled again|copies me",
  challenge:
    "an exam|a half marathon|a job interview|a long flight|a driving test|a triathlon|my first concert|a mountain hike",
  sad: "sad|lost|lonely|angry|stuck|guilty",
  vehicle: "bus|plane|ferry|train|car|ship",
  phrase:
    "good morning|goodbye|please|I love you|excuse me|cheers|how are you|good night|sorry|happy birthday|you're welcome|delicious|thank you very much",
  language:
    "French|German|Spanish|Japanese|Italian|Portuguese|Chinese|Arabic|Hindi|Dutch|English|Swedish|Korean|Polish|Turkish",
  question:
    "Where is the bathroom?|How much does this cost?|What time does the museum open?|Can I have the bill, please?|I would like two tickets.|Is there a pharmacy nearby?|My name is Peter.|Where can I find a taxi?|The bus is late today.",
  foreign:
    "Der Vertrag endet zum Jahresende.|La demande est rejetée.|Se prohíbe el paso.|Das Gericht weist die Klage ab.|Die Parteien tragen die Kosten.|L'appel est recevable.|Las partes acuerdan lo siguiente.|Il contratto è nullo.|Die Revision ist zulässig.|Sous le pont Mirabeau coule la Seine.",
  legaltext:
    "contract clause|court decision|patent claim|judgment|statute|notarial deed|medical report|paragraph of a treaty",
  term: "legal term|technical term|defined term|term of art",
  entity: "name|date|phone number|email address|price|company|address|invoice number|city",
  entities: "names|dates|phone numbers|email addresses|prices|companies|addresses|invoice numbers|cities|places|people",
  pleased: "happy|angry|satisfied|annoyed|disappointed|ironic|pleased|sad|grateful",
  codelanguage: "Python|JavaScript|Java|C#|Go|Ruby|TypeScript|PHP|Kotlin|Swift|Rust|bash|C++|python|javascript|java",
  simplejob:
    "adds two numbers|sorts a list|checks whether a word is a palindrome|counts vowels|finds the largest number|removes duplicates|reads a file line by line|converts Celsius to Fahrenheit|reverses a list|prints the even numbers|checks whether a number is prime|capitalises each word|joins two arrays",
  simpletask:
    "read a file|sort a list|parse JSON|split a string|format a date|loop over a map|reverse an array|round a number|concatenate strings",
  classic:
    "hello world|fibonacci|bubble sort|a to-do list|factorial|a guessing game|prime numbers|fizz buzz|FizzBuzz up to 50|a calculator|tic tac toe|binary search",
  pattern: "email addresses|dates|US zip codes|hex colours|IPv4 addresses|URLs|phone numbers",
  mediumjob:
    "downloads pages in parallel|merges overlapping intervals|parses a CSV file with quotes|caches results with a time limit|finds the shortest path in a grid|retries requests with backoff|validates a form",
  structure: "an LRU cache|a linked list|a binary tree|a rate limiter|a priority queue|a trie|a stack with two queues",
  compiler: "parser|compiler|interpreter|type checker|tokenizer and parser|regex engine|recursive descent parser",
  grammar:
    "arithmetic expressions|a small functional language|JSON with comments|regular expressions|SQL selects|a template language|logical formulas",
  compilerfeature:
    "error recovery|operator precedence|type inference|good error messages|incremental parsing|tail calls|garbage collection|source locations|fuzz tests",
  hardstructure:
    "a red-black tree with deletion|a suffix automaton|a B+ tree on disk|a persistent hash map|Dijkstra with a Fibonacci heap|an LSM tree|a CRDT for text|a bloom filter with deletion",
  webtask:
    "centre an element|make a sticky header|change the font|make two columns|hide the scroll bar|align text vertically|add a button|make a page responsive|use dark mode|center text",
  webtech: "CSS|flexbox|HTML|Tailwind|grid|Bootstrap|css|jQuery",
  gittask:
    "revert a commit|rename a branch|delete a remote branch|merge a branch|discard local changes|squash commits|undo a merge but keep my work|undo the last push|stash my changes|amend the last commit message",
  tech: "React|PostgreSQL|Docker|TypeScript|Python|Kubernetes|Rust|Django|Spring Boot|Go|Node.js|Terraform|Vue|Next.js|docker|nginx|Angular|webpack|FastAPI",
  system: "Ubuntu|Windows|a Mac|Debian|a Raspberry Pi",
  shelltask: "list hidden files|find large files|kill a process|copy a folder|unzip an archive|see free disk space",
  symptom:
    "render twice|re-render all the time|crash on start|exit immediately with code 1|return undefined|run so slowly|leak memory|not update the state|restart in a loop|time out|fire two times|exit with code 139|run out of memory|fail with a 502|hang",
  component:
    "container|component|service|hook|useState hook|endpoint|useMemo|pod|build|test|deployment|server|app|pipeline|useCallback effect|query",
  error:
    "TypeError: x is not a function|connection refused|module not found|segmentation fault|timeout exceeded|permission denied|CORS policy|out of memory",
  feature: "pagination|a login|dark mode|caching|file upload|search|retry logic|logging",
  architecture:
    "a microservice architecture|an event-driven system|a multi-region backend|a plug-in system|a message bus|a multi-tenant platform|a CQRS backend|an offline-first sync engine",
  business:
    "a payment service|an online shop|a hospital|a booking platform|a multi-tenant CRM|a subscription service|an invoicing system|a marketplace|a multi-tenant accounting system|a ticket system|a metering system",
  quality:
    "row-level security|strict tenant isolation|exactly-once delivery|audit logs|usage-based billing|zero-downtime migrations|sharding|role-based access|idempotent payments|eventual consistency|metered pricing|point-in-time recovery|data residency",
  lockfree: "lock-free|wait-free|non-blocking|lockless|concurrent lock-free",
  concurrent:
    "hash map|stack|ring buffer|skip list|queue|work-stealing deque|memory allocator|single-producer queue|linked list|multi-consumer channel",
  systemlanguage: "C++|Rust|C|C++20|Zig|Go|Java",
  reclamation:
    "epoch-based reclamation|hazard pointers|reference counting|RCU|tagged pointers against ABA|atomic memory orderings",
  concurrencybug: "race condition|deadlock|ABA problem|lost update|memory ordering bug|split brain|livelock|data race",
  distributed:
    "a Raft implementation|distributed lock|a consensus protocol|replicated log|a leader election|distributed transaction|a distributed counter|a two-phase commit|cache invalidation protocol",
  consistency: "linearizable|serializable|safe|sequentially consistent|linearizability|correctness",
  adversity:
    "network partitions|clock skew|crashes and restarts|byzantine faults|concurrent writers|message loss|process pauses",
  table: "customers|orders|products|employees|invoices|users|payments|students|sales|shipments",
  column: "total|price|revenue|age|amount|orders|salary|city|country|score|quantity",
  period: "year|month|week|quarter|day",
  database: "PostgreSQL|MySQL|SQLite|Oracle|SQL Server",
  number: "3|5|7|10|12|15|18|19|20|24|25|30|36|40|48|50|60|75|80|96|120|144|250",
  small: "2|3|4|5|6|7|8|9",
  plus: "plus|minus|times|divided by|+|-|x|*|/|multiplied by",
  plussign: "+|-",
  dollars: "$5|$12|$18|$20|$35|$48|$60|$75|$90|$120|$250",
  goods: "jacket|book|ticket|laptop|pizza|phone|shoe|hat|sofa|dress|shirt|bag",
  person1: "Tom|Sara|Ben|Lily|Omar",
  fruits: "apples|pears|marbles|coins|stickers",
  chance:
    "at least one head|two heads in a row|drawing an ace|a sum of seven|no six at all|at least one five|exactly two reds|rolling a double|rolling no one|getting a pair",
  trials: "throws of a coin|rolls of a die|draws without replacement|throws of two dice|cards|tosses",
  calculus:
    "integral|derivative|antiderivative|limit at zero|Taylor series|second derivative|definite integral from 0 to 1",
  expression: "x sin x|x^3 ln x|e^(2x) cos x|1/(1+x^2)|x e^x|x^2 cos x|sqrt(1-x^2)|ln(x)/x|x^3 e^(-x)|tan x",
  claim:
    "the square root of 3 is irrational|e is irrational|the sum of two even numbers is even|every bounded monotone sequence converges|there is no largest prime|the rationals are countable|every tree with n vertices has n-1 edges|the harmonic series diverges|a continuous function on a compact set is bounded|log 2 is irrational|the cube root of 2 is irrational",
  extension:
    "all integers|every n|higher dimensions|all fields|infinite sets|composite numbers|complex numbers|all primes p",
  theorem:
    "Cantor's theorem|the halting problem|Fermat's little theorem|the central limit theorem|the Banach-Tarski paradox|Gödel's completeness theorem|Lagrange's theorem|the prime number theorem|the intermediate value theorem|Bertrand's postulate|Tarski's undefinability theorem|quadratic reciprocity|the incompleteness of arithmetic",
  argument:
    "the diagonal argument|induction|compactness|the axiom of choice|self-reference|the counting argument|the limit",
  numbers: "primes|integers|positive integers|composite numbers|perfect squares|natural numbers",
  numberset: "integers|rationals|positive reals|natural numbers|reals",
  equation:
    "f(xy) = f(x)f(y)|f(x + y) = f(x) + f(y) + xy|f(f(x) + y) = x + f(y)|f(x) + f(y) = f(x + y) + 2xy|f(x f(y)) = y f(x)|f(x - f(y)) = f(x) - y",
  divisibility: "n divides 2^n - 1|n^2 + 1 divides n! |2^n + 1 is divisible by n^2|n + 1 divides n^2 + 1",
  grouplaw: "every element has order two|the squares commute|each subgroup is normal|(ab)^3 = a^3 b^3",
  groupkind: "abelian|nilpotent|cyclic|solvable",
  sky: "the sea|the sky at sunset|the sun|snow|the moon|grass|a rainbow|fire|the sky at night",
  skycolour: "white|red|green|yellow|dark|orange|so bright|colourful|blue in photos",
  things: "magnets|ships|planes|boats|mirrors|balloons|stars|metals",
  behave: "attract iron|float|fly|fall|twinkle|shine|rise|rust|conduct electricity",
  physicstopic:
    "gravity|magnetism|friction|light|sound waves|electric current|heat|relativity|black holes|radioactivity",
  child: "five-year-old|child|ten year old|beginner|kid|12-year-old|teenager",
  machine:
    "a fridge|a laser|a jet engine|an electric motor|a microwave oven|a transformer|a nuclear reactor|a touch screen",
  physicsresult:
    "the entropy|the dispersion relation|the partition function|the Unruh temperature|the scattering amplitude|the effective potential|the geodesic equation|the anomalous magnetic moment|the surface gravity|the Hawking flux",
  physicsobject:
    "a Schwarzschild black hole|a rotating neutron star|a Bose-Einstein condensate|a charged black hole|the quantum harmonic oscillator in a field|a superconductor|an Ising chain|an expanding universe",
  physicsbasis:
    "the action|first principles|the path integral|the Einstein equations|Maxwell's equations|the Killing vector|the Lagrangian|the Hamiltonian",
  limit:
    "classical limit|low-temperature limit|extremal case|weak-coupling limit|non-relativistic limit|limit of large N",
  biologytopic:
    "mitosis|digestion|evolution|osmosis|DNA|the immune system|respiration|natural selection|the water cycle|cell division|pollination|how plants make food",
  animals: "cats|birds|whales|bees|dogs|bats|snakes|camels",
  animaldo: "purr|migrate|sing|hibernate|sleep upside down|shed their skin|have humps|make honey",
  chemical: "sodium|vinegar|baking soda|chlorine|hydrogen|iron|copper sulfate|ethanol|ammonia|oxygen",
  property: "acidic|flammable|blue|toxic|soluble|a gas",
  illness:
    "the flu|chickenpox|a migraine|hay fever|food poisoning|bronchitis|measles|a sore throat|asthma|diabetes|Covid|pneumonia|anaemia",
  ache: "back pain|a headache|a cough|a stiff neck|chest pain|fever|dizziness|knee pain|nausea",
  labvalue: "cholesterol|ferritin|creatinine|TSH|CRP|potassium|liver enzyme",
  drug: "aspirin|paracetamol|lithium|metformin|amoxicillin|simvastatin|clarithromycin|sertraline|prednisone|omeprazole|apixaban|naproxen|digoxin|tramadol|warfarin|methotrexate",
  condition:
    "liver failure|pregnancy|renal insufficiency|heart failure|epilepsy|a gastric ulcer|kidney failure|liver cirrhosis|atrial fibrillation|chronic lung disease",
  landlord: "landlord|employer|neighbour|tenant|insurance company|airline|bank|landlady|gym|seller|roommate|car dealer",
  wrong:
    "won't fix the heating|keeps my deposit|refuses to pay me back|fired me while I was ill|wants to evict me|raised the rent twice|does not answer my complaint|won't give me a refund|withholds my last salary|wants money for old damage|refuses to return my money",
  wrong2:
    "enter the flat|raise the rent|end the contract|read my emails|keep the deposit|change my hours|cancel the insurance",
  contract:
    "lease|employment contract|sales contract|verbal contract|will|prenuptial agreement|licence agreement|non-disclosure agreement|loan agreement",
  clause:
    "liability clause|arbitration clause|non-solicitation clause|indemnity clause|choice-of-law clause|confidentiality clause|termination clause|non-compete",
  state: "New York|Delaware|England|Texas|Germany|Florida|California|Ontario|France",
  war: "the Second World War|the French Revolution|the fall of the Roman Empire|the Thirty Years' War|the Russian Revolution|the Cold War|the Great Depression|the American Civil War|the Industrial Revolution|the Crimean War|the collapse of the Soviet Union",
  philosopher:
    "Plato|Aristotle|Hume|Nietzsche|Rawls|Sartre|Spinoza|Descartes|Kant|Hegel|Bentham|Mill|Epicurus|Wittgenstein",
  virtue: "justice|free will|happiness|duty|truth|courage|punishment|honesty|the soul|promises|virtue|suicide|property",
  economy:
    "inflation|interest rates|a recession|unemployment|the exchange rate|a trade deficit|quantitative easing|a minimum wage|GDP|public debt",
  shop: "bakery|coffee shop|small consultancy|bike shop|yoga studio|online shop|food truck",
  cstopic:
    "recursion|a hash table|TCP|a deadlock|public-key encryption|an operating system|virtual memory|big O notation|a compiler|UDP|machine learning|an API|a neural network",
  cshard: "graph colouring|vertex cover|subset sum|bin packing|the travelling salesman problem|feedback arc set",
  tonight: "tonight|today|for dinner|for lunch|this evening|this weekend",
  tonightdo: "cook|watch|do|eat|wear|read",
  food: "chicken|tomatoes|rice|potatoes|mushrooms|beans|cheese|pasta|onions|tofu|carrots|broccoli|lentils|eggs|bacon|noodles",
  hobby:
    "chess|the violin|Spanish|painting|knitting|the drums|tennis|yoga|surfing|German|singing|coding|the ukulele|photography",
  media: "film|book|series|podcast|game|song",
  pet: "dog|cat|fish|rabbit|bird",
  workout: "workout|stretching routine|diet|morning routine|running plan",
  duration: "weekend|three-day|two-week|month|week|fortnight|five-day|long weekend|ten days",
  travellers:
    "a couple|three friends|my parents|a family with a baby|a solo traveller|two teenagers|a small budget|a group of students|kids",
  difficulty:
    "is always busy|does not listen|has no money|ignores me|is angry with me|works too much|said no last time|is losing money|drinks too much|wants to quit school|is in a bad mood",
  difficulty2: "I am moving out|I lost my job|I don't want children|I can't come to the party|I borrowed money",
  habit: "biting my nails|procrastinating|eating sweets at night|worrying|checking my phone|smoking",
  lifechange:
    "change jobs|move abroad|buy a house|go back to university|start a company|get a dog|end the relationship",
};

type Draw = (list: readonly string[]) => string;

const PHRASES = new Map(Object.entries(LISTS).map(([name, words]) => [name, words.split("|")]));

/** The template with a phrase drawn for every name in it. */
export function fillTemplate(template: string, draw: Draw): string {
  return template.replace(/\{\{|\}\}|\{([a-z0-9]+)\}/g, (found, name: string | undefined) => {
    if (name === undefined) return found.charAt(0);
    const phrases = PHRASES.get(name);
    if (phrases === undefined) throw new Error(`There is no list {${name}}.`);
    return draw(phrases);
  });
}
