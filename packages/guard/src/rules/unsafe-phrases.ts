import { anyOf, splitList } from "./rule-matcher.ts";

const raw = String.raw;

const PRODUCE = anyOf(
  raw`mak(?:e|ing)|build(?:ing)?|creat(?:e|ing)|construct(?:ing)?|assembl(?:e|ing)|synthesi[sz](?:e|ing)|produc(?:e|ing)`,
  raw`manufactur(?:e|ing)|prepar(?:e|ing)|cook(?:ing)?|brew(?:ing)?|weaponi[sz](?:e|ing)|develop(?:ing)?|3d[- ]print(?:ing)?`,
);
/** Only adjectives that keep the meaning may come before the noun: a bath bomb is not a weapon. */
const PLAIN_ARTICLE = raw`\s(?:my own |your own |an? |the |some )?(?:(?:simple|small|large|big|powerful|deadly|lethal|real|working|functional|functioning|effective|homemade|home-made|crude|basic|untraceable|undetectable|dangerous|illegal|makeshift|diy|pure|high-quality) ){0,2}`;
const WEAPON = anyOf(
  raw`(?:pipe|nail|car|dirty|fertili[sz]er|petrol|suicide|atomic|nuclear|hydrogen|letter|parcel|pressure[- ]cooker|chemical|mail) bombs?`,
  raw`(?:improvised )?explosive devices?|explosives|ieds?|molotov(?: cocktail)?s?|nerve (?:agents?|gas)|sarin|vx (?:gas|nerve agent)`,
  raw`ricin|mustard gas|chlorine gas|bio-?weapons?|(?:biological|chemical|nuclear) weapons?|anthrax|weapons? of mass destruction`,
  raw`ghost guns?|napalm|tatp|nitroglycerin|poison gas|(?:deadly|lethal|weaponi[sz]ed) (?:virus|pathogen|toxin)s?`,
);
/** The end of the phrase. "A bomb playlist" continues, and so do calorimeters, shelters and games. */
const END_OF_PHRASE = raw`(?=\s?(?:[.,:;!?)"'\n]|$)|\s(?:at|with|using|from|that|out|to|without|or|and|which|step|in (?:my|your|a|the) (?:house|home|garage|kitchen|basement|room|apartment|bathtub)))(?![^.!?]{0,60}\b(?:minecraft|roblox|unity|scratch|games?|fortnite|blender|calorimet\w{2,3})\b)`;
const DRUG = anyOf(
  raw`crystal meth|meth|methamphetamine|fentanyl|heroin|mdma|crack cocaine|cocaine|lsd|ghb|amphetamines?`,
);

/** Making a weapon, from the verb on. The first form ignores what follows, the second checks it. */
export const MAKE_WEAPON = raw`${PRODUCE}${PLAIN_ARTICLE}(?:${WEAPON}|bombs?)\b`;
export const MAKE_REAL_WEAPON = raw`${PRODUCE}${PLAIN_ARTICLE}(?:${WEAPON}\b|bombs?\b${END_OF_PHRASE})`;
const RECIPE = raw`(?:recipe|instruction|blueprint|schematic|formula|guide|tutorial)s? (?:for|of|to)${PLAIN_ARTICLE}`;
/** The same without a verb: "a recipe for a bomb". */
export const WEAPON_RECIPE = raw`${RECIPE}(?:${WEAPON}|bombs?)\b`;
export const REAL_WEAPON_RECIPE = raw`${RECIPE}(?:${WEAPON}\b|bombs?\b${END_OF_PHRASE})`;
export const WEAPON_ANCHORS = splitList(
  "bomb, explosive, ied, molotov, nerve, sarin, vx, ricin, mustard gas, chlorine gas, weapon, anthrax, ghost gun, napalm, tatp, nitrogly, poison gas, deadly, lethal",
);
/** Making a hard drug, from the verb on. */
export const MAKE_DRUG = raw`${PRODUCE}${PLAIN_ARTICLE}${DRUG}\b(?! (?:test|withdrawal|addiction|abuse|policy|awareness|detection))`;
export const DRUG_ANCHORS = splitList("meth, fentanyl, heroin, mdma, cocaine, lsd, ghb, amphetamine");

const PERSON = anyOf(
  raw`someone|somebody|a person|people|another person|a human(?: being)?|the president|the prime minister`,
  raw`(?:my|his|her|your) (?:wife|husband|boss|ex|ex-wife|ex-husband|girlfriend|boyfriend|neighbou?r|mother|father|mom|dad|parents|brother|sister|roommate|teacher|classmates?|co-?worker|family|partner|spouse|friend|enemy|enemies|stepfather|landlord|child|children|kids|baby)`,
  raw`an? (?:politician|judge|witness|police officer|cop|child)`,
);
/** Common in games and stories. */
export const NOT_IN_FICTION = raw`(?! in (?:a |an |the |my |this )?(?:game|story|novel|book|movie|film|minecraft|chess|mafia|among us|video|roblox|fortnite|dream|sims|gta|skyrim)|[^.!?]{0,20}\bwith kindness)`;
/** Killing a person, from the verb on. */
export const KILL_PERSON = raw`(?:kill(?:ing)?|murder(?:ing)?|assassinat(?:e|ing)|strangl(?:e|ing)|poison(?:ing)?)\s${PERSON}\b`;
export const KILL_ANCHORS = splitList("kill, murder, assassinat, strangl, poison");
/** Suicide, from the verb on, in the first and in the second person. */
export const KILL_MYSELF = raw`(?:kill(?:ing)? myself|commit(?:ting)? suicide|end(?:ing)? my (?:own )?life|hang(?:ing)? myself|tak(?:e|ing) my own life|slit(?:ting)? my wrists)\b`;
export const KILL_YOURSELF = raw`(?:kill(?:ing)? yourself|commit(?:ting)? suicide|end(?:ing)? your (?:own )?life|hang(?:ing)? yourself|slit(?:ting)? your wrists|tak(?:e|ing) your own life)\b`;

/** Malicious programs by name. */
export const MALWARE = anyOf(
  raw`ransomware|keyloggers?|malware|rootkits?|botnets?|spyware|info-?stealers?|computer (?:virus(?:es)?|worms?)`,
  raw`trojan(?: horse)?s?|remote access trojans?|cryptolockers?|password stealers?|self-replicating (?:virus|worm)`,
);
export const MALWARE_ANCHORS = splitList(
  "ransomware, keylogger, malware, rootkit, botnet, spyware, stealer, virus, worm, trojan, cryptolocker",
);

/** A child, by age or word. */
export const MINOR = anyOf(
  raw`child(?:ren)?|kids?|minors?|underaged?(?: \w{3,10})?|pre-?teens?|toddlers?|infants?|little (?:girl|boy)s?|school ?(?:girl|boy)s?|lolis?|shotas?`,
  raw`(?:[1-9]|1[0-7]|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen)[- ]?(?:years?[- ]?old|yo)\b(?: (?:girl|boy|child|kid|daughter|son))?`,
);
/** Sexual material by name. Words that doctors, teachers and painters also need are left out. */
export const SEXUAL_MATERIAL = anyOf(
  raw`porn(?:ography|ographic)?|erotic(?:a)?|smut|hentai|nudes|sexually explicit|sexuali[sz]ed|having sex`,
  raw`(?:nude|naked) (?:photos?|pics?|pictures?|images?|videos?|selfies?)`,
  raw`sex(?:ual)? (?:content|scenes?|stor(?:y|ies)|acts?|images?|pictures?|videos?|fantas(?:y|ies)|role-?plays?|encounters?|material|tapes?)`,
);
export const SEXUAL_ANCHORS = splitList("porn, erotic, smut, hentai, nude, naked, sex");

/** Groups that hate speech targets. */
export const HATED_GROUP = anyOf(
  raw`jews?|muslims?|blacks?|black people|white people|whites|gays?|gay people|homosexuals|lesbians|trans(?:gender)? people`,
  raw`trannies|immigrants|migrants|refugees|christians|hindus|asians|mexicans|arabs|women|disabled people|gypsies|niggers?|kikes?|faggots?|infidels`,
);
