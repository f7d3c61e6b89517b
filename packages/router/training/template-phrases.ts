/** How hard a request is: 0 anybody can, 1 easy, 2 ordinary, 3 demanding, 4 for experts. */
export type Level = 0 | 1 | 2 | 3 | 4;

/** By domain: templates of each level. */
export type Templates = Readonly<Record<string, readonly (readonly [Level, ...string[]])[]>>;

/** The phrases that stand for the names in templates. */
const LISTS: Readonly<Record<string, string>> = {
  politely:
    "I was wondering whether you could please|Could you please take your time, think step by step and|Hello, I hope you are well. When you have a moment, please|Please, as carefully and as thoroughly as you can,|My friend asked me something yesterday and I did not know it, so could you|This is extremely important to me, so please think very hard and",
  politeend:
    "|.| for me, thank you so much in advance!|? I would be really grateful for your help with this.|, please.",
  hardprogram:
    "a compiler for Pascal|an optimising compiler|a C++ front end|a JIT compiler|a hypervisor|a bootloader|an operating system|a microkernel|a file system|a device driver|a database engine|a garbage collector|a web browser engine|a TCP stack|a ray tracer with global illumination|a SAT solver|an SMT solver|a proof assistant|a debugger|a linker|a chess engine|a physics engine|a regex engine with JIT|a query optimiser|a type checker with inference|a scheduler for a kernel|an emulator of the PlayStation|a static analyser|a decompiler|a database from scratch",
  hardalgorithm:
    "Raft|two-phase commit with recovery|Byzantine agreement|a CRDT|elliptic curve signatures in constant time|ChaCha20-Poly1305 in constant time|a post-quantum key exchange|zero-knowledge proofs|homomorphic encryption|a lock-free hash table|hazard pointers|epoch-based reclamation|RCU|snapshot isolation|the simplex method|push-relabel max flow|the blossom algorithm|suffix automata|Schönhage-Strassen multiplication|the number field sieve|the fast multipole method|a work-stealing scheduler|vector clocks|TLS 1.3|a software transactional memory|backpropagation through time from scratch|flash attention in CUDA|a register allocator|polyhedral loop optimisation",
  age: "a 64-year-old|58 y/o woman|81yo man|a 7-year-old|45M|33F|newborn, 36 weeks|a 70-year-old with diabetes",
  lab: "creatinine 3.1|eGFR 18|INR 5.2|Na 118|lactate 6|Hb 6.4|platelets 18|troponin rising|pH 7.12|K 2.3|ALT 900|BP 82/40|SpO2 84 %|QTc 540|glucose 38",
  finding:
    "new seizures|visual loss|upper abdominal pain|stridor|a wide complex tachycardia|confusion|melaena|anuria|hemiparesis|petechiae|haemoptysis|severe headache|a new murmur",
  clinical: "next steps|management|differential|alternatives|treatment|plan for the next hour|dose|interactions",
  surgery: "a bypass|a kidney transplant|a caesarean|a hip replacement|thyroidectomy",
  infra:
    "k8s pod|Postgres|Redis|nginx|the Kafka broker|our Elasticsearch cluster|the Mongo replica|RabbitMQ|etcd|the CI runner|docker on the VM",
  infrafault:
    "restarts in a loop|was OOM-killed|got evicted|runs out of connections|is slow|hangs on start|refuses TLS|fills the disk|loses its leader",
  resource: "memory|disk|CPU|swap",
  runtime: "node|Java|Python|.NET|Go 1.|Ruby|PHP|the JVM",
  raretrouble: "heap grows|memory leak|deadlock|event loop stalls|segfault|data loss|goroutine leak|a lost wakeup",
  condition2: "http2 and streams|TLS and keep-alive|two replicas|connection pooling|a cold cache|cluster mode",
  suspect:
    "retained closures|a nested loop|lock contention|semacquire|unreachable buffers|a hash join gone|sockets in CLOSE_WAIT",
  atomic:
    "compare_exchange_weak|memory_order_relaxed|an acquire fence|double-width CAS|a release store|fetch_add|LL/SC",
  chip: "ARM|Apple M1|POWER8|Zen 4|RISC-V|an Itanium|aarch64",
  poolthing: "free list|object pool|ring buffer|lock-free stack|work-stealing deque",
  oldit:
    "Lotus Notes|an old file server|Exchange 2010|a Cobol mainframe|PHP monolith|Subversion|a VMware cluster|SAP R/3",
  newit: "Google Workspace|SharePoint Online|the cloud|Git|Kubernetes|event sourcing|an identity provider",
  complexity: "NP|coNP|PSPACE|L|NL|AM|RP|QMA|PH|EXP|#P|IP|NC",
  openproblem:
    "the twin prime conjecture|Goldbach's conjecture|the Collatz conjecture|the Hodge conjecture|the Birch and Swinnerton-Dyer conjecture|P versus NP|the continuum hypothesis|the Yang-Mills mass gap|Euler's equations in 3D stay smooth|the zeros of the zeta function lie on the line|global regularity of the wave map equation|the abc conjecture",
  operator: "a water utility|a railway network|a hospital chain|an airline alliance|a port authority|a pension fund",
  legaldoctrine:
    "the doctrine of frustration|promissory estoppel|piercing the corporate veil|the parol evidence rule|controlled foreign company rules|the business judgement rule|res judicata|adverse possession|the exit tax",
  legalcase:
    "a contingent remainder|an oral waiver|a vote without notice|a trust revoked by will|a sale of carried interest|stock options earned abroad|a holding in two states",
  musicpiece: "soprano line|bass line|melody",
  rarefault:
    "freezes now and then|hangs at random|loses updates|corrupts its heap|livelocks|stalls for minutes|reads stale data|crashes once in a million requests",
  dumps: "thread dumps|core dumps|heap dumps|flame graphs|traces|race detector logs|JFR recordings",
  hardsystem:
    "a distributed SQL database|a consensus protocol|a distributed log|a globally consistent key-value store|a stream processor with exactly-once semantics|an exchange's matching engine|a multi-region ledger|a real-time collaborative editor|a linearizable queue|a distributed lock service|a replicated state machine|a search engine for the whole web|a distributed garbage collector|a payment network",
  hardfeature:
    "snapshots|linearizability|log compaction|crash recovery|zero downtime|external consistency|leader leases|exactly-once delivery|partition tolerance|fault injection",
  hardtheorem:
    "Löb's theorem|Tarski's theorem on truth|Church's theorem that validity is undecidable|the completeness theorem of first-order logic|the Riemann-Roch theorem|the Weil conjectures|quadratic reciprocity|the Banach-Tarski paradox|the spectral theorem for unbounded operators|the Hahn-Banach theorem|the Nullstellensatz|the Atiyah-Singer index theorem|the inverse function theorem|Dirichlet's theorem on primes|the Poincaré duality|the central limit theorem|the uniformisation theorem|the Sylow theorems|the Jordan curve theorem|the Nash embedding theorem|Gödel's second theorem|the independence of the continuum hypothesis|the Baire category theorem|the Stone-Weierstrass theorem|the open mapping theorem|the four colour theorem|Goldbach's conjecture|the Hodge decomposition|Zorn's lemma from the axiom of choice|the transcendence of e",
  hardobjects:
    "simple Lie algebras|finite subgroups of SO(3)|compact surfaces|modules over a principal ideal domain|elliptic curves|bundles over spheres|Banach spaces|K3 surfaces|finite fields|p-groups|quadratic forms over the rationals|covering spaces of the torus|number fields of degree 2|Hilbert spaces|operators of trace class",
  hardobject:
    "principal ideal domain|compact Hausdorff space|finite division ring|Artinian ring|reflexive Banach space|Noetherian module|metric space|Boolean algebra",
  hardproperty:
    "abelian|normal|commutative|a field|complete|separable|semisimple|metrisable|free|a unique factorisation domain|closed under limits",
  invariant: "homology|fundamental group|Galois group|cohomology ring|class number|spectrum|automorphism group",
  hardwork:
    "a verse epic|a verse drama in five acts|a heroic crown of sonnets|a novel in letters|a double sestina|a libretto in rhymed couplets|a tragedy in alexandrines|a canto in ottava rima|a palindrome poem|a Socratic dialogue in hexameters|a pastiche of Proust|a sonnet cycle",
  hardliterature:
    "a poem by Celan|a chapter of Proust|Pushkin's Onegin|Shakespeare's sonnets|Jabberwocky|Dante|Baudelaire",
  hardphysics:
    "gauge invariance|spontaneous symmetry breaking|the path integral|asymptotic freedom|anomalies in quantum field theory|the AdS/CFT correspondence|topological insulators|the quantum Hall effect|Hawking radiation|the holographic principle|BRST quantisation|the Higgs mechanism|universality at phase transitions|conformal field theory|decoherence|instantons|inflation of the early universe",
  hardbiology:
    "glycolysis|the urea cycle|oxidative phosphorylation|the lac operon|signal transduction by G proteins|apoptosis|the cell cycle|mTOR signalling|fatty acid synthesis|gluconeogenesis|epigenetic silencing|long-term potentiation|the electron transport chain",
  hardcondition: "starvation|acidosis|insulin resistance|a tumour|sepsis|ischaemia",
  hardcs:
    "the PCP theorem|Cook's theorem|the Curry-Howard correspondence|the FLP impossibility|the time hierarchy theorem|Rice's theorem|abstract interpretation|separation logic|linearizability|weak memory models|interactive proofs|PSPACE completeness of TQBF",
  geoword: "latitude|a hurricane|a tornado|a sea|an ocean|a country|a nation|longitude|a glacier|an island|the equator",
  oldsystem:
    "the Soviet Union|the Roman Republic|the Austro-Hungarian Empire|the Weimar Republic|the Maya cities|the League of Nations",
  troubled:
    "an over-indebted firm|a bankrupt subsidiary|a loss-making hospital|a company in default|my family firm in a crisis|a hotel group with too much debt",
  termsheet:
    "a term sheet with 1.5x liquidation preference|a convertible note with a cap|a down round with pay-to-play|an acquisition offer with an earn-out",
  brand: "Kodak|BlackBerry|Blockbuster|Yahoo|General Motors|Sears|Xerox|Nortel|Lehman Brothers",
  design:
    "an instrumental variable|a difference-in-differences design|a synthetic control|a propensity score match|an event study|a randomised encouragement design",
  flaw: "a weak instrument|attrition|spillovers|staggered adoption|measurement error|selection on the outcome",
  hardcontract:
    "a merger agreement|a cross-border licence|a shareholders' agreement with drag-along|a securitisation|a joint venture",
  jobrole: "a teacher|a cook|an electrician|a bus driver|an accountant|a designer|a carpenter|a midwife|a data analyst",
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
