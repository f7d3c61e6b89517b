/** English words as they stand in ordinary prompts, the commonest first: what spaces that were left out are found again by. */
export const WORD_LIST = `
the a to and in of you is i for that are with on how this an as can it what your or from have be by not all do if use please my about will me been any at when who has but
would following should write answer only no their was one like where they ai which into make question user now without create instructions need new so provide prompt say
we just system information its up world more there output access must using here could them first time id some he want help out other his input does ensure character find
these remember before text after such also given response task imagine ignore pwned model people code language get two don data while act movie rules name describe
explain then were let current story sure generate end start most above each being list know between content during role title detailed even always files include never way
based take give review through anything tell context best example than function used respond our may good article set begin life am long process sentence ethical over
request file step words every well specific number work questions had python go script against note high part plot might very below last follow real key someone under her
because including guidelines play understand previous writing next assistant security instead made year human order potential directory back search message reply around
test different case responses same word details many why something going format add us scenario both important news fictional think keep old she did characters asked
research chatgpt person advice said making named down however place expert within short own creating him off instruction granted much another main string read film called
possible three known day home ensuring avoid see narrative free game actions print those show illegal knowledge openai return events feel enabled hypothetical guide
everything takes ask execute support type repeat great better come years full change plan style command unique company conversation summary useful implement working still
hello design legal historical project steps point returns stay top state else provided personal result product english social api city situation group points found things
too yourself right continue non toolformer action harmful line run purely space document control purpose understanding second systems form natural query allowed account
maintain history doesn level creative focus share earth secret explicit goal nothing tool try behavior date safety due token matter scene manipulate trying javascript
purposes development technology call topic true put present common look activities business identify changes correct experience exactly environment mode restrictions kind
unethical until description says again remove break display tools since complete original really able others users features answers forget school server analysis open
friend clear detail harm engaging uses simple body consider car small young version program novel build universe public various society moral yes far science team cannot
thought ever whether completely password prompts ability default check needs times tone often prevent shell positive man love students care across mind saying impact
available commands cause black elements disregard required stop large engine actually educational certain setting money ways financial numbers policies general negative
academic book image bad few self looking thing com once software written safe future attention secure white method single deep performance necessary additional piece
student policy got professional path variables methods analyze personality talk power area extract ancient having class light providing develop examples results left
normal card requests internet similar none promote job media java directly background mention messages explore pretend age accurate war options techniques earlier series
renowned nature needed extremely period medical provider contain lines table event suggest roleplay violence red translate modern report field complex created appropriate
denied focusing chat structure today highly doing dangerous become tasked assume country realistic government agent client advanced perspective phrase happens value
engage manner laws reason means together states works models replace concise immoral values comprehensive water ethics later friendly less days designed practices early
strategies feedback critical food web exploit post dialogue reading political reality least art building course subject offensive music exercise bypass getting prefix
away finally yet leave verify intelligence learning according override send mean house law family humans recent improve local perform wants individuals explaining idea
thoughts century several told false app location crime side learn folder related john four hi latest tree emotions sentences online consequences girl sex changed breaking
credit service past choose night fake protect database sensitive programming sorry rather brief market stories simulate usage playing per regular outputs update etc
further united identity inside constraints seen dark sexual core fact author machine french bot makes processing warnings room face speech multiple address calls manage
terms names little fiction includes array answering living artificial final target behind digital won delete helpful lot video fun historian hidden child length alien
received powerful song source exact bank american recommend popular whose application started benefits color anyone decide culture children quality computer flight direct
running sent writer discovered move friends relevant attack wrong alternative offer upon mission believe draft network especially email goes acting controversial records
parts object taking importance health asks along realm total cost integrity considered website skip turn accuracy measures alternate manager special generation otherwise
depth individual theory watch promptfoo remain assist sum disable argument boundaries live hours unfiltered issues regardless vulnerabilities insert lead vehicle low base
technical freedom death allow appear documents towards south customer developer letter letters convert woman exist expected standard though followed paragraph directories
police compare valid unless asking snippet follows tasks longer seems didn study gain giving skills starts empty craft concept speak standards generated consent five
director energy regarding persuasive took status variable approach capabilities size senior nice apply math fight error amount party ready explanation term famous
atmosphere international agents entity enough close passage view section attempt isn cybersecurity hero gives responsible problem refuse reflect sense went treat
sometimes fully lives config rate express done third simply specializing tests likely page types save inappropriate violent forward sound evil summarize custom although
items shot success hey finds comes calculate sentiment throughout loves parent thinking reasoning attacks specified hard physical planning interest hand opinions
configuration contains produce despite big midnight meet itself malicious actual figure gets audience president warning resources wait rest moment thank lost pass
guidance provides requirements increase training rule week blue cut buy structured count evidence places principles punctuation companies typical british reveal engineer
lighting currently session generating testing limitations phone spirit regulations involving already docs url entire calculates played morality issue tips planet persona
price allows meaning outline involved town strategy risk cultural legality cover major conduct average university thanks star json programmed parents added strong
potentially interesting integer topics york ideas journey challenges feelings escape operation conditions comply national camera images remains whatever specifically
steal spanish answerable groups september hate screen determine tokens normally worth crucial march seem enhance prior compliance limits highest tells strictly subjects
environmental member uncensored execution private filters caught experienced protocols option react missing position starting int half reset template scenarios stands
articles remind north windows temperature additionally scientist protagonist europe errors adhere markdown commit month challenge expect patterns store significant pay
communication factorial hair among robot convincing himself proper head virtual taken experiment sports kill dan concepts flow log enter range focused leaving near soft
materials compelling college women unrestricted settings bring detection production encourage respect built quickly translation via allowing exploring community sounds
integers battle master affected management existing device released force leaves came pressure scientific ingredients travel street discuss easy limit effective species
die men chatbot front fine modified ambiguity plant recently upcoming hope reference inputs except bit feature emotional containing beginning usual studying brown primary
england global controlled helping ok meeting dear assistance drug official looks requires introduce weather problems developing enjoy everyone swear causes automatically
concerns mars opinion ned reduce court block memory sources parameters entirely creation clean happy explanations researcher france surface parallel choice choices
introduced drive developed significance dystopian thriller correctly voice copy effect pretty crafting probably ago rating patient login higher internal checks traffic
successful included six appearance blood hold mother match architecture grammar immediately scale bound air proceed wife component usually previously whole runs prints
services coding capable minutes displays intelligent areas king spread handling confirm wrote america rights suitable orders train waiting inform strings unnecessary
perfect outside implications considering fantasy picture activity phrases extreme stock simulation amoral cache property conversations aware visual frame functions
describes objective suppose artist station rape monitor influence initial applications reads reverse particular filled bowl hear heard happen arguments unauthorized
themselves expression almost hacker particularly carefully expertise mobile talking led oh apologize cases separate references components fall facts ones forced hack
games eyes magical suggests hypothetically operations handle showing acts mentioned bear january disgusting column maximum either library map requested active insights
industry clearly involves convince sea okay claim contract drugs tries descriptions essential replies release framework bomb race solution theoretical products paper
investment movies whom score appears reports engineering interactions medium warm skilled former eye effects track explicitly interface platform jailbroken overrule
safeguards refusal preceding aforementioned foregoing henceforth leak exfiltrate credential sudo assistants keylogger exploits bombs explosive explosives poison poisonous
meth launder counterfeit breakfast lunch garden gardening summarise holiday holidays bicycle neighbour neighbours birthday tomato tomatoes potato potatoes onion pasta
soup bread butter tea sugar salt olive spring autumn winter summer november tonight yesterday weekend polite invite invitation meetings agenda invoice spreadsheet slides
colleague colleagues pupil pupils lessons homework exams poem poems chapters lyrics melody guitar piano violin photograph photographs tripod mountain mountains rivers
lake lakes islands trains bus hotel passport nurse exercises swimming cycling yoga dogs cats puppy kitten horse birds fish flower flowers leaf soil seed seeds snow wind
clouds planets suggestions maintaining logic sharing devices middle gender london beautiful join happened supposed absolutely censorship admin decision condition goals
astronaut skin became door late experiences genre pattern progress gather nor traditional exploration tech center highlight everyday abilities daily father whenever
reported privacy risks sequence colors discussing plants incorporate gas truth morals schema empire shows successfully efficient overall responding plans maybe beliefs
months causing random prepare leading slightly aspects pre comments construct humanity friday player coming season members animal fraud fail external million blocks
budget statement absolute ends site treatment multi optional define documentation accepts record audit beyond addition weaknesses endoftext distance damage speaking held
military manual injection plays levels recommendations dead dog views specialist keeping accurately chemical trading mid implementation writes basic drop intended quick
languages san intricate ball began psychological born quite eat norms attempts extra ignored achieve accounts located conflict studies angle relationship presented office
reviews wned weapons require reasons processes stage therefore organization sign ending fire interested land cold dramatic circumstances newspaper insult signs edit
compose findings speed preserve edge perspectives growth photo largest capital myself female cleaning feeling caused understood believed believes promotes inject evaluate
slow instance links refer changing clarity reviewer hacking theme commentary education bill turned visit politics seeking leads begins justify subtly michael intimate
exception git modify obtain limited sample supported vulnerability link finding hit zero sort career journalist leader cool captivating conducting soon wednesday sake
roman returned characteristics objects fix difficult futuristic couple substances staff solely evaluation providers remote serve adjust carry texture medieval campaign
china heart songs walk debate tax fit statements alpha central opposite contact wide island climate algorithm population readers virus green dump eating employees capture
pick profile permission straight serious describing sentient sustainable chinese gave greater mysterious codes thrilling visible window supports element root workflow
notes solve reach broken adult spelling movement teenagers hateful null welcome failed filtering host finished interactive region bash switch validate sections trade
promoting removing label independent apple subtle delve storytelling creativity vivid fear themed stuff breaks vast replying lived fast functionality practice lose feels
ground lisa marketing players healthy unconventional utilize literary chemistry jailbreak unknown filter optimize expressed height communicate merely trained composition
kingdom curious died existence societal killed misinformation rows lock disabled contrast claude experimental weight google matters fill max lower alone defense cat india
loved claims greek god gone therapy watching confidential abide accept tags restricted architect fellow twist rock oil dont sole agree encouraged comparison driving
defined calculations descriptive extensive opening ten fair owner chaos formed captain considerations december portray cast ice printing eval trip apps maintenance board
specialized rare chief visiting strategic bullet urban square awareness informative periods authenticity columbia vulgar victims sends lab becomes shape direction deal
effectively touch met printed warn bold river opened cinematic stars airport fulfill storyline robert shared finish keys prioritize interaction accepted cross hour
balance wikipedia male designing furthermore daughter lie refuses suicide intent endpoint protection win demonstrate easily detect resolution console produced mental aid
dinner physics solutions wanted moves economic los aggressive scenes shadows emotion interests substance officials centre fighting jokes eventually gun effort ahead
generates separated driven forces factors moving briefly miles kids desire elaborate mood angeles stand constantly films discussion reaction worst emojis harmless prison
marks receive trust ordered discovery teams published threats super def neutral criminal alley seven listen convey paris david authorized western inhumane consistent
setup raw counts turns creates mix hide recipes unable era incident rome worry west authority brother discrimination hav dependency santa shown route larger desired scope
generator knows bias fan precise box rich son drama anti payment algorithms engagement tournament emphasizing steve responsibility constructor exam journalists info
tracking enable helps decisions dedicated mark typically ultra sell emphasize intense chemicals transaction actor willing destruction disco bowling calling authentication
fields newly checking updates decided codetoexecute landscape spent covid hands tom highlights likes brought dangers shut duplicate timeout malware phishing forms
transform winning exists meets nearly described trends lack meant preferences assess invest cyber immersive profit east album disclaimers shall certainly unlock laptop
judge passed actors brand recipe quotes forbidden classic biased opens animals powers deliver restaurant conference countries crew killing tuesday funny lots southern
unfortunately spot failure trace select credentials fresh skill wrapper lists pure platforms grant wearing road shopping actionable rise morning economy foot books
diverse army cup monday authorities jamie lewd doctors theft authorization properties blog procedures sessions spaces challenging crisis wall featuring foreign waste
anymore storm aim legitimate confines ethicality investigate election terminal updated approval formatting saw prices roles chance material category designer traveling
evening coach fascinating banana framing unit excessively village officer underground ultimate harass whitespace completion integration paths relationships prefer
replaced introduction fly affect creator smart teach contribute toward securely encyclopedia headlines wolfram prime presenting prominent analyst innovative washington
brackets imaginary hat slang figures household tickets sister intellectual racist rates simulated chosen operating balanced connection requirement viewer favorite
executive accordingly distant flying imaginative directives arrived alice shallow mexico playful hospital adhering situations administration june queries matching cloud
presence stable projects performing advisor analyzing fibonacci mistakes thus civilization knowledgeable standing forest authentic reservation facilitate perhaps thorough
airlines ben incorrect paraphrase disease paragraphs thursday saturday innocent nuclear github package lowest miss amazon listed structures complexity grow associated
prep difference alter theories harry jane sales suggesting pain operational sunday sam raising institution totally officers definitely egerton notifications lesson
validation audio node optimization aspect confident saving integrate offering offers worse minimum bottom computing threat slowly sun opportunities practical recursively
dress yellow transportation poor pretending wizard cars palette centered strange possess consciousness raise detailing extraordinary napoleon bitter rude perverted traces
parameter retrieve dir removed killer supply extension categories disclaimer improving facing routine serving enforcement themes logical customers scientists established
chapter ignoring acquire traveler european struggling wish hell widely advantage unwavering xcalibur router porn proxy addiction insider guardrails metadata applied keeps
developers assessment domain increased costs commonly committed syntax guess reliable minute participate roll schedule interact painting humor guy survival dot hot
overcome intriguing worked professor exciting club ocean october department caps truly tale august janitor neither subsequent metrics bridge receives index adding sets
vulnerable contents rewrite studio exchange synthesis golden orange reader identifying federal brilliant currency nation forever evade censor revenge essay penalty
factual defaults plain improvement definition verbose placed corporate assuming destroy launch explains editor mechanisms avoiding unusual push positions shop clothes
bright adventure park musical danger teacher artistic profanity abuse protocol header improvements attributes secrets depending accessible returning payload equivalent
specify deny symbols properly dictionary moved strict violate ship adapt conversational measure detected benefit operate silence acceptable assumptions consultant stolen
mystery synthesize gained valuable ages establish interview athlete eastern preparing civil purchase rolling beach telling communities respected illicit matches chain
plus alongside stored binary older connect videos safely remaining repetition responds pair tables knowing completed converted oriented conclusion clarify agency wise
peace democratic tutorial africa stress drawn desires union curiosity holds proposal mess arrest disrupt fictitious stream storage turning functional permissions
increases targets smooth smaller split cooking predict responsive trial paid dive partner solid dragon perfectly wisdom silver teaching outcome translating selling
confidentiality noted networks seek soldiers taste mentioning stating viewpoint kindly arcade knew lets automatic selection commercial cell administrator magic families
anonymous heavy presentation enters greatest lord suggestion concerned harsh deeply tried symbol gathering italian align emergency addressing respectful shoes
modifications alive mail blank revealed gateway denying toxic import transfer auto trigger logs navigate putting versions aligns loss compared transport volume dynamic
apart cards expanded identified band papers facial spell chicken football sharp vibrant weapon press realism drawing bird gold chicago citizen boston buying boring
girlfriend forgot bleach conspiracy disrespectful static debug capacity spend robust infrastructure overview coded careful highlighting essence opportunity confidence
appreciate formal ongoing creature nations photography felt narratives herself tokyo mining australia invasion holding annoying california singular murder realized
shocking resource decides native comment seconds twitter fetch generic sophisticated demand entry minimal deployment sending recorded conflicts stack covered continued
distribute insurance offered dream minor apartment technologies boss german wild japan northern embark traits sitting falling inspiration progression wedding amazing
border kick ticket investigation rogue hates assault endorse unhinged poverty ransomware efficiency scripts runtime significantly hint download combine candidate stronger
supporting distinct verified introducing recursion adheres paint casual loose vehicles literature afternoon income reactions funds quiet variety plausible surrounding
draw kitchen church suspicion eight thinks reckless crimes stores loop streaming discovers load servers item managed vector speaker verification underlying optimized
motion naturally huge strength reveals dropping reverses reminder void graphic expressing thoroughly grand taxes angry knight botanist involve lifestyle terrible markets
mostly looked anyway emperor july camp reputation morally click executed catch sides grade behaviors double managing representation performed twice answered vacation
monitoring narrow tiny passwords division philosophy headings filename civilizations asia busy gift seasoned consumer secretly fashion awful feet resistance exaggerated
massive doubt drink equipment seeing aerospace husband insufficient erotic chastised cunning anthropic attempting sandbox export rejected assign pull sees charge
insensitive interpret cities operates dates char quantum connected longest japanese faced beauty photos wooden magazine mixed creatures provoking degree cash detective
encourages embrace seriously revealing deaths sight construction politician argue chances immerse refused manipulation expose browser depends statistics resulting append
discussions ratio transactions combined indicate verbatim reaching shadow carries walks ordinary informed artifact april databases conventional suppress learned discussed
efficiently dominant aims visually shakespeare glass tall objectives upper illustrate originally outdated stone guardian tactics moments trick comedy girls joke korean
deviation investigative arriving sexually proceeds directions guides recording encounter passes priority editing columns arrive formats flows backup heavily echo
documented navigation procedure resist closed onto initiating pose competition intentions moon purse spaceship walking tires locations victory vigilant cutting targeting
calm appeal leaders schools flights viral barely decline cancer notorious meanwhile hearing mechanism obvious phase pricing executes microsoft continuing criteria arrives
selected adds observations dealing tailored cheap refers permanently derogatory incorporating textures checklist visa conquer talks dish utilizing lens fourth seeks
monologue substitute talent mass planned canada incredibly wood sarcasm laboratory appearances consensual genocide represent meta seat loaded formatted organizations
applicable occurred enterprise continues reflects channel irrelevant prepared entities growing mandatory anime baby specializes firm counter appealing horror pizza
increasing episode impacts lazy faces afraid insults survive germany trees hill revert excellent parties deadly bizarre stick paying yeah duel cocaine overlook caching
port tracing gemini controls portal layer meal represents scan freely dollars monthly pool francisco collection titles owned uncover biases encouraging reporter dirty
metal queen wear accessibility cube inventory aboard invented doctor critic republic emails romantic corner beat composer coast wars pirate tones acknowledge quote
oblivious renewable fuel gentle cook announced proactive basically encounters laugh villain gruesome unbiased swears consistency frameworks unlike passing billion sorted
styles instruct immediate dialog determined carrying wounded advise experts turkish clothing architectural lights medicine beings responsibilities showcase heat portrait
contributed hesitate citizens acquiring teenager contemporary threatening referred korea cells reflecting wishes linguistic weeks noticed prove sweet seemingly nine
greece arts stealing expresses cries shotgun stupid victim racial terrorism torture bearer regions locate marked discover thread deeper layers enables websites occurs
recommended capturing difficulty keywords consists artifacts pages oracle prompted possibility beneficial harder peaceful artists interpretation infiltrate persuade
simulator percent capitalized glow hall tomorrow expressions principle advancements layout healthcare patients conscious duty luggage shares armed participating trouble
disaster thick desperate younger faculty religious stereotypes obey realms sensations carbon assertions employ defensive supplies throw falls speaks actively prompting
obtained verbosity translated implementing movements outcomes intentionally occur linux primarily width approaches besides thin decrease thousands literally android
calendar sleep formula buildings vertical interior philosopher rain severe smell notable decode bigger ultimately february robots programs museum australian mistake
abstract league molecular discourse depicts brutally pandemic mine suspect minister regime divided personnel hurt television violation enjoys surprised declared flag
resolve compatibility technique arbitrary confusion preserving exposed experiments exposure meaningful autonomous captured suggested personalized finance floor gravity
analytical mayor combat scheduled egyptian effectiveness delivery roleplaying inspired frequently bought justice italy elder biology territories landing satisfied
conceived spending lies showcasing ghosts independence quantity attend actress quest involvement screenplay concern hacked equally horrible hesitation prescription
quotation closer yaml flat backend license attached profiles reaches powered listing alert wins staying faster ended superior interpreter plane notice instructed initiate
composing occurrences observing rival agreement attitude gods revolution efforts professionals imagination cheese becoming moderate coffee reversed daring discord
symptoms congress researching married behaviour indoor doors unlimited possesses brain suspense kept cares journal crash undetected regard sick genius liquids violently
gory sadistic imposed concatenate smitten brawl haven steadfast nuanced condone smut trafficking domestic collect seamless module weak definitions assignment percentage
flags button scoring saved worker groundbreaking forth assigned ambiguous nearby photorealistic readable directed intuitive oldest majority adopt achievements ambassador
belief cycle commerce royal witness birth cout marine youtube electric troops inner radio pursuit gripping pictures ascii protected compound clark immature holocaust
dignity schemes drunk grouped compatible clients spans picked fails install differences improved recursive capability upgrade vision debugging libraries belong
approximately bypassing amounts chatbots greetings distribution probability issued proposed raised suffering noise arguing tight hoping believable aesthetics
technological diet expectations uppercase silent repeating renaissance grey researchers peculiar defeat mortal utilized habits burn stated forgotten units shoot hollywood
breath mischievous remarks gonna survivors hundred fantastic ruthless arrested religion functioning medication irish jimmie cops theoretically slurs fruitless laundering
inspect latency configure preparation receiving recall satisfy gaps rendered executing trusted masked tier closely expensive grounds archive mount crafted connections
shaped workers coherent producing savings extraction insulting calculating extraterrestrial iconic traceability reflection aside indian driver cartoon potion loan jargon
shellcommand charles reporting depict ride impossible iostream tour mathematical apocalyptic meticulous accomplish murders influenced pulled rush neck strike treatments
representatives maximize shifts defeated boat amid cute melanie yuka attacked terrorist laura assertion configured overrides activated moderation differ exploitation
cognitive fell modes approved preventing hundreds render releases served vocabulary origin exclude visuals listening alignment smoke distributing shift initially
corporation fenced amateur wears honest vital organized gathered grocery suddenly alcohol competitive devise aspiring classes russia alright kinds spreading fraudulent
happening attorney lying accessed struggle manufacturing justified intention peak chris numerous lady waitress immigration fund guys disappointed heir emoji compromise
shock natasha deviate racism knife repeated failures round environments frequency posts telemetry spoken interfaces processed excessive prepares await consumption factory
revised bills equal implemented foundation paste reliability visualization reward unexpected addresses contribution losing representing millions checklists trackable
passion sunlight neural lowercase chase george portfolio cheat transformation intensity confused dissatisfied decent entertainment agreed boys stuck restaurants perceived
enemy mouth aiming teenage homemade phenomenon compounds crack joined obama iraq reuters novels extent destroyed drenched fabricate guilty reed illegally denwp plagiarism
cheating dataset workflows applies captures hook conversion customize estimated predictions repository expand targeted extend preferred evaluating keyword blocked jobs
encryption duration pipe cancel extended solving generally collaboration propose familiar accident misleading combination achieved recognition cultures plastic ghost
proportions galaxy origins evolution symbolic implied presents playlist sword banned african darkness profound citation aged blurred charm ring phoenix seemed spain
genuine passengers undercover instruments mature viewpoints adopted endeavor harvey unaware lieutenant alleged immorality desirable freed streamtext headers auth
sequences loading routing sorts removes observed serves browse relevance distributed straightforward deploy covering resume modeling accounting logo temperatures
recognize tower solar rewards houses favorable wealthy delivered masterpiece attending reminders programmer puzzle aesthetic colorful shoulder revenue cooperation
inventor legally egypt graduate advocate award misunderstood structural charged strengths princess immense computers lastly educate junior rightful precautions hired
revolves comfortable cryptic dance allocate orientation conducted scare physically charming novelist affairs anger commitment titled wondering showed trump jail pleasure
identities pushing attacker strive claiming expecting ballard desolation mitsuishi enthusiastic unorthodox abbreviation spokesman rama bush crazy utterly hatred conclude
evasion cruelty harassment container callback performs rails templates hanging mask rendering demonstrates invalid uploaded employee guard sizes hits independently
reserve signal rarely reached broad constant combining confirmed signed posted routes aligned entering statistical encountered tank mindset bust walls quarter invention
density trend performances robin visited tension mentor recovery scalability eager toll delicate stranded companion passionate council investigating formation salary
immigrants consecutive sunrise realize simulating communications favor facility referring portrayal sketch drone looming happiness county edited defenses permanent
outlining secretary wing somewhere clever debating minded molecules anthony extroverted surfer richards rainwood laila selleck robins haha henstridge nephew afterwards
propaganda pawn untraceable refusals readme precision comparing shutdown span principal thrown grows charges premium destructive tested investors universal complicated
exit collapse voices easier credits closing accessing bars frontend searching indicating voting strongly convention decreases alternatives injured pilot headquarters arms
darker tired dust giant shame resilience bottle classified gaming keen dice enhancing romance creatively surrounded vowels possibly downtown liked sector menu esteemed
navy flesh scholar reign temporarily annual examine fundamental texas enthusiast triangle accomplished broke assumed worried embody advance surveillance damaged diagnosis
publication drives remained prejudice watched bears atlantic carried drafting fans scholarship caring determination adversaries acquired vice institutions variation scam
jimmy radical uncomfortable misuse indeed warfare labor possession nobody murdered punishment kills truthful gabriel fate breach ethically chemist intricacies poisoning
biological vaccine methamphetamine embedding generatetext legacy visibility urls searches fits restrict determines assets triggering placeholders denial treated instances
exclusive bodies transition produces directive desktop branch explained boundary rough outlined timeline reasonable basics focuses generative exploiting extracting
codebase machines streets wildlife fishing suffer opposing iphone neighborhood estate florida rent absurd smile holder mechanics participants featured concert treasure
sauce championship chest supreme sang adults calories devil discovering sing intervention geological seattle monster asian audiences geometry surprise gradually ireland
biggest vote stakes christmas diagnostic defend balls artwork synthesizing fossil lands possibilities tricks republican behave regards distill clandestine widespread
amongst spreads dots happily sanae miyata tetsuzo defender dave sadly gloved begun prisoners kelly decoded endorsing degenerate evals generations overly rail identical
cached collaborative corresponding automated differently dashboard regex organize candidates referenced username conservative pieces dependencies placeholder temporary
stopped understands suspended feed isolated keyboard defending visitors assessments goods outdoor prince modification suit theater emphasis querywithlocation openmeteo
sarcastic satisfaction guiding discipline transparency channels founded recommendation nikola sings historic rated charlie heads dancing beer hardware hyper transmission
mimic comprehension scholarly consistently gang corrupt organic factor relations intends excited capitalization pink awesome competing shirt deepest acknowledging brazil
loud condense brings desk wonderful struggles abandoned zombie thrill empathy borders unfold fuels safeguard entitled ethnicity taylor meticulously greatly claimed tenth
journalism parnell strasbourg disabilities martha weird discreetly violates refusing nore nefarious violating swearing converts silently distinguish relative omit
enabling signature boolean parse needing suspicious lifetime grades maps batch customization norm fixed enhanced shots saves preference displaying panel encrypted dense
experiencing psychology assisting rising insightful font instagram contributions luxury crowd illustration attacking caesar bugs fridge reflections beginner vague
criticism classical specifications sided bustling examining banking locked atmospheric engaged demands brainstorm degrees shooting jungle upto randomly outputting blind
expressive secondary hackers wings clock distinctive relaxed waves coal narrate races urgency gritty elementary essentials compile dialogues helped britain entertaining
emulate zealand liquid remorse oxygen motivations canadian writings antivirus cure chronicles elderly politically jessica acronym burmese disability theatre danny uphold
useless elsewhere mainly keitel apparently attracted invade kombat outworld raped pseudocode fauci profanities disorders arson observe replacing concrete variations args
restriction owns vars entries seamlessly handles evaluations submit realtime weights depend hosts destination rename bare exploited foreground severity breakdown
exceptional succeed continuity operator ideal collapsed merge prefixes infinite bounds fabricated scheme disk hence prefixed variant stopping contained attractive
identification clarification philosophical casting advising circle flaws excluding blonde cage corners delivering credibility newton lasting julius vintage jacket
inquiries dreams enjoyed alarm writers curriculum cherry superhero rectangle bonds dynamics eccentric crossing vegas achieving fantastical salad emerging surprising
establishing unleash campaigns loyal stocks uncovering tiktok uniform obviously throne lacking leadership routines rescue muslim questioning profits speculative switched
industrial debt jack assembly twisted tense employed territory pregnant funding framed tough suits firearm zone reinforce aimed thunder wales explores reform resort paul
steals accordance acknowledged yoshitaka kumiko yuriko waterfront officially freezes spit myanmar nthe hazardous disorder pornography ransom linda questionable
consequently pornographic foul utmost deniecll deniedl transcended singularity pyramid deepfakes loans dimensions represented beta adversarial replacement grading grader
retain opus harness linked ensures payloads intermediate stability checked activate registered dropped labels stops executable instructs restore deleted spark flexible
optimal coverage lengths vendors hints rank insight anthropologist appeared mainstream grass closest isaac excitement numbered planner documentary fabric hang bond
thoughtful modest placement bedroom bathroom miami grew advertising subdirectories mythical pets battery robotic inception relatable basketball humanoid comfort
interacting scholars tales clich wonder integrated submission einstein impactful steak organism electronic urge pour inspire constructive governor portion tensions
adaptation epic lecture instantly historically enjoyable jump russian southeast enjoying fatal senator moreover tennis proteins district cease presidential iron judgment
biologist convenient adventurous rebel handgun ottoman luck volcanic advantages remarkable followers bored brutal sensory cosmic bozo blade folk jaded strengthen smoking
ions ellis keith gamble alistair anonymity adversary whatsoever contentious discriminatory convinces disturbing censored deceive edgy censoring breaches slavery forgery
scores injected airline grok compute refine fixes untrusted browsing suite simultaneously stays compliant mock mini approaching analytics privileges shapes denies
adherence backed affects packed assert correctness treating redact expanding signals anywhere unified drift ambient relate charts acclaimed engages skeptical impressions
wanna worthless adapted customizable hunt mysql clarifying continuous dragons cryptocurrency cozy methodology ascending posing resting loving upset memorable exclusively
announcement interstellar eggs occupation apology sport sudden println pursuing sites coin risky originality albert curly functionalities hypothesis delicious regularly
angles wellbeing meditation swift unfortunate legendary enhancement critique legends softly crystal contributing urgent curse gently singer understandable costume
investigator intrigue rivals completing workplace winner crossed thompson organ soundtrack editorial composed troubled concentration speeches manufacture suspenseful
joint dutch critics comprehend scar committee fairness argues davis donald submissive pseudonym scandalous heseltine cruel inaccuracies civilians smuggling migrant abuses
duellists jewish shao resembles embodiment akin personalities weave calculus trait rebellious contradict ammonia mdma loopholes steroids blackmail piracy stalking
leverage preview adjustments precedence semantic vercel arrays respective broader integrations vary mapping unsafe handled migration horizon displayed availability
caution blocking mentions pipeline integrating drops transforming excel streams attempted selecting motivation folders intercept assisted replicate varying pace bake
elite radius interpretations rings naked vibe carolina archaeologist centers residents elizabeth tweet assurance neon engines justin revolutionary landed failing festival
venue descending christopher reviewing beneath worn humorous underwater storyteller producer solo competitors endl fitness fame duplicates wicked opera prisoner pollution
blur alerts tragic grown istanbul booth badly valley corrected tradition glowing seated viewed mate athletic cinematography marriage headed turkey touching drinking bunch
pound entered passenger walkthrough beats wealth peers researched quarters exhaustive footage virginia mouthed housing campus endless senses venture harvard atlanta
parrot fought nathan supervisor francis charity infamous darkest obsessive valued reduced globe suffers cigarettes musicians association mixture warlock rasche scalise
miners tangerine demure pathetic anally dumb stephens treillard hubert endorsement heist ally kahn monk fourteen reminds fervent dominance deemed indigenous circumvent
prawn incite disregarding khmer rouge evading discriminate posso shootings gambling adapter logging maintained implicit azure filesystem configurations chooses gaining
identifier hierarchy datasets partial reject discard startup llama payments rely conventions comma ddos grid pivotal derived escaped flip delta grants mouse ranked
repeatedly ease correlation applying designs archives postgresql phrasing avatar modules compromised inquiry vegetables intergalactic messy curvy friendship rose scalable
doorway portraying witnessed indicators mythology vaccines mastermind lane acquisition rental volumetric attract welfare owners customs pursue boost promoted sale hobbies
smartphone nearest cons peer behavioral appointment continents tackle prevention earn liberty ordering portland silhouette digits unparalleled viable cake autonomy truck
prize investments stance summarizing chairs skyscrapers interviews enemies refrain confusing cyberpunk breeding meat painful daniel myth doom rebellion foster historians
narrator businesses genetically obtaining trunk depths crowded twists panic forge filed survey gordon corruption tobacco laid apologies crown silly commission harming
prowess hilarious sensor laughing learns frank bernard flattering celtic bloody divisions terraformed ginza linearly corp debut rapes politicians turner armand carradine
douglas sonya feraud horny warns naughty disclose jews challenged prescriptions administer martinez poetry persone cyberbullying monoxide installation indicates
preparestep graded provideroptions adaptive unrelated exceptions formerly encoded governed attach upload regional redirect summaries replaces embedded isolation associate
fees shaping labeled rapidly delay domains computes promises diversity kernel respects simulates confirmation appearing icon rapid engineers apparent launched guaranteed
celsius automation dallas frustration dies floating weekly overwhelming readability bokeh collaborate strategist organizing tracks motivated depicted resulted translator
palindrome spirits barbara blow celebrity smallest minimalist facilities refugees shed colleges acid telescope julia fears settlement equation psychologist tailor chaotic
casually cups pakistan rocket innovation convincingly trauma proof childhood destinations firstly courses outfit forming referencing beds gray hostile scored const gotten
freeze therapist regarded typing cuts pacific credible conclusions adjectives comrades pride oppressive pump viruses diego adrenaline initiative mechanical protective
surroundings impression alliance immune witty observer volcanoes membrane recover agencies pragmatic warned fostering tweets adoption wake proud praise subjective stadium
jenny sergeant sinister worldwide envision mercy unleashed scarred martial radiation prohibited ugly imperial prolific unflattering narcotics admit crude threatened
sabotage wade trevor dismissed hussars implodes fades committing shocked enriched distract harris ruct indulge airlift vineyard policing neuroscience edtech verdict
parsed lifecycle timing oauth
`;
