import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { buildPattern, type Rule, splitList } from "./rule-matcher.ts";

const raw = String.raw;

const SUICIDE: readonly SafetyCategory[] = ["unsafe_intent", "self_harm"];

/** A request for a way to kill oneself, in one language. Normalised text has no accents. */
function suicideRule(language: string, anchors: string, source: string): Rule {
  return {
    name: `ask-for-suicide-method-${language}`,
    categories: SUICIDE,
    weight: 0.92,
    anchors: splitList(anchors),
    pattern: buildPattern(source),
    quotable: true,
  };
}

/** Requests for help with suicide in other languages than English, where the model knows few of the words. */
const SUICIDE_RULES: readonly Rule[] = [
  suicideRule(
    "de",
    "umbring, umzubring, bringe ich mich, tote ich, toten, erhang, vergift, das leben, selbstmord, suizid, sterben",
    raw`\bwie (?:kann|konnte|soll|sollte|muss) ich mich (?:\w{2,14} ){0,3}(?:umbringen|toten|erhangen|vergiften)\b|\bwie (?:bringe?|tote|erhange) ich mich (?:am |moglichst )?(?:\w{2,14} ){0,2}(?:um\b(?! d)|(?=[?.!]))|\bwie (?:kann ich|nehme ich) mir (?:\w{2,14} ){0,2}das leben(?: nehmen)?\b|\b(?:schmerzlose|sichere|schnelle|einfache)\w{0,2} (?:methode|art|weg|moglichkeit)\w{0,2},? (?:mich umzubringen|mir das leben zu nehmen|zum selbstmord|fur (?:einen )?(?:selbstmord|suizid)|zu sterben)`,
  ),
  suicideRule(
    "fr",
    "suicid, me tuer, mourir, mes jours",
    raw`\b(?:comment|facon|moyen|methode|maniere)\b[^.!?]{0,40}\b(?:me suicider|me tuer|mettre fin a mes jours|m'oter la vie)\b|\b(?:facon|moyen|methode|maniere) (?:indolore|rapide|sure|facile|simple)[^.!?]{0,16}\b(?:suicid|mourir)\w*`,
  ),
  suicideRule(
    "es",
    "suicid, matarme, quitarme, morir",
    raw`\b(?:como|forma|manera|metodo|modo)\b[^.!?]{0,40}\b(?:suicidarme|matarme|quitarme la vida)\b|\b(?:forma|manera|metodo|modo) (?:indolor[ao]?|sin dolor|rapid[ao]|facil|segur[ao])[^.!?]{0,16}\b(?:suicid|morir)\w*`,
  ),
  suicideRule(
    "pt",
    "suicid, matar, morrer, minha vida, minha propria",
    raw`\b(?:como|forma|maneira|metodo|jeito)\b[^.!?]{0,40}\b(?:me matar|me suicidar|suicidar-me|matar-me|(?:tirar|acabar com) a? ?minha (?:propria )?vida)\b|\b(?:forma|maneira|metodo|jeito) (?:indolor|sem dor|rapid[ao]|facil)[^.!?]{0,16}\b(?:suicid|morrer)\w*`,
  ),
  suicideRule(
    "it",
    "suicid, uccidermi, ammazzarmi, togliermi, morire",
    raw`\b(?:come|modo|metodo|maniera)\b[^.!?]{0,40}\b(?:suicidarmi|uccidermi|ammazzarmi|togliermi la vita)\b|\b(?:modo|metodo|maniera) (?:indolore|rapido|facile|sicuro)[^.!?]{0,16}\b(?:suicid|morire)\w*`,
  ),
  suicideRule(
    "nl",
    "zelfmoord, mezelf, me van",
    raw`\bhoe (?:kan ik |moet ik )?(?:\w{2,14} ){0,3}(?:zelfmoord plegen|mezelf (?:doden|ombrengen|van kant maken))\b|\bpijnloze? (?:manier|methode) (?:om te sterven|om zelfmoord|voor zelfmoord)`,
  ),
  suicideRule(
    "pl",
    "samoboj, zabic sie, sie zabic, odebrac",
    raw`\b(?:jak|sposob|metoda)\b[^.!?]{0,40}(?:popelnic samoboj\w+|(?:sie zabic|zabic sie)|odebrac sobie zycie)\b|\b(?:bezbolesn|szybk|pewn)\w{1,3} (?:sposob|metod)\w{0,2} (?:na |do )?(?:samoboj|smierc)\w*`,
  ),
  suicideRule(
    "ru",
    "суицид, самоуби, покончить, убить себя, умереть",
    raw`(?:как|способ|метод)[^.!?]{0,40}(?:покончить с собо[йю]|убить себя|(?:совершить|для) (?:самоубийств|суицид)[а-я]{0,3}|уйти из жизни)|(?:безболезненн|быстр|легк)[а-я]{1,3} (?:способ|метод)[а-я]{0,2}[^.!?]{0,12}(?:самоуби|суицид|умереть)`,
  ),
  suicideRule(
    "tr",
    "intihar, kendimi, canima",
    raw`(?:nasil|yontem|yol)[^.!?]{0,30}(?:intihar eder|kendimi oldur|canima kiy)|(?:intihar eder|intihar et|kendimi oldur|canima kiy)[^.!?]{0,30}(?:nasil|yontem|yolu)|(?:acisiz|agrisiz|kolay) (?:bir )?(?:intihar|olum)`,
  ),
  suicideRule(
    "zh",
    "自杀, 自殺, 结束自己, 结束我的生命, 死去",
    raw`(?:怎么|怎样|如何|怎麼)(?:才能|可以|能)?(?:无痛|没有痛苦|无痛苦|快速|安静|最快)?[地的]?(?:自杀|自殺|结束自己的生命|结束我的生命)|(?:无痛|没有痛苦|无痛苦|最快)[地的]?(?:自杀|自殺|死去)|(?:自杀|自殺)的?(?:方法|方式|办法)`,
  ),
  suicideRule(
    "ja",
    "自殺, 死ぬ, 死に, 死ね, 命を絶",
    raw`(?:楽に|苦しまずに|痛みなく|痛くなく|確実に|簡単に)(?:死ぬ|死ね|自殺|死にたい)|(?:自殺する|自殺の|命を絶つ|死ぬ)(?:ための|一番[^。!?]{0,4})?(?:方法|やり方)|どうやっ(?:て|たら)(?:自殺|死ね)`,
  ),
  suicideRule(
    "ko",
    "자살, 고통 없이, 목숨을",
    raw`(?:고통 없이|안 아프게|편하게|쉽게) (?:죽|자살)|자살(?:하는|할)? ?(?:방법|법)|어떻게 (?:하면 )?자살|목숨을 끊는 ?(?:방법|법)`,
  ),
  suicideRule(
    "ar",
    "انتحر, أنتحر, لأنتحر, أنهي, الانتحار, للانتحار, بالانتحار, أقتل نفسي, اقتل نفسي, انتحار, حياتي",
    raw`(?:كيف|طريقة|وسيلة)[^.!?؟]{0,30}(?:[أا]نتحر|للانتحار|الانتحار|لانتحار|[أا]قتل نفسي|[أا]نهي حياتي)`,
  ),
  suicideRule(
    "hi",
    "आत्महत्या, खुदकुशी, ख़ुदकुशी, जान",
    raw`(?:आत्महत्या|खुदकुशी|ख़ुदकुशी)[^.!?।]{0,12}(?:कैसे|का तरीका|के तरीके|करने का)|(?:कैसे|बिना दर्द)[^.!?।]{0,16}(?:आत्महत्या|खुदकुशी|अपनी जान)`,
  ),
];

/**
 * The trust of a child, won behind the back of its parents. The model has seen no such texts, and is meant to see few, so
 * rules decide. Reported where only the wish is said; refused where an adult says of which age they are.
 */
const CHILD = raw`(?:child(?:ren|'s)?|kids?|minors?|pre-?teens?|little (?:girl|boy)s?|school ?(?:girl|boy)s?|(?:girl|boy|kid|someone) of (?:[5-9]|1[0-5])|(?:[5-9]|1[0-5])[- ]?(?:years?[- ]?old|yo)s?|(?:kids|girls|boys|children|anyone) (?:under|below) (?:[5-9]|1[0-6]))`;
const APPROACH = raw`(?:(?:win|gain|earn|build|get)(?:s|ning|ing)? [^.!?]{0,24}(?:trust|confidence)|(?:talk|speak|chat|writ|text|messag|meet|befriend|approach|contact|lur|groom)\w{0,4}|make friends)`;
const PARENTS = raw`(?:parents?|mum|mom|mother|father|dad|famil(?:y|ies)|teachers?)`;
const UNSEEN = raw`(?:without (?:(?:any|the|her|his|their|its|a) )?${PARENTS}[^.!?]{0,12}(?:know|see|notic|find|there|around|present)|behind (?:the|her|his|their) ${PARENTS}|(?:no|the|her|his|their|its) ${PARENTS}[^.!?]{0,24}(?:not|n't|never|see|sees|notice|notices|find out|finds out)|(?:secret|hidden|hide (?:it|this|our \w+)) from (?:the|her|his|their|its) ${PARENTS}|delet\w{1,3} (?:our|the|my) (?:messages|chats?|texts)|keep (?:it|this|us|our \w+|the contact) (?:a )?secret)`;
const HARMLESS_SECRET = raw`(?!.{0,120}\b(?:surprise|birthday|party|present|gift|christmas|anniversary|protect|warn|report|police|predator|groomer|prevent|my own)\b)`;
const HARMLESS_BEFORE =
  /\b(?:protect|warn|prevent|report|police|predators?|groomers?|paedophiles?|surprise|recogni[sz]e|signs?|detect|stop|notice)\b[^.!?]{0,80}$/;
const CHILD_ANCHORS = splitList(
  "child, kid, minor, preteen, pre-teen, girl, boy, little girl, little boy, schoolgirl, schoolboy, someone of, anyone, year-old, year old, years old",
);
const ADULT = raw`\b(?:i'm|i am|im) (?:an adult|a (?:grown )?man|(?:1[89]|[2-7]\d)\b(?! (?:weeks|months|days|kg|cm)))`;

function secretContactRule(language: string, anchors: string, source: string): Rule {
  return {
    name: `win-a-child-unseen-${language}`,
    categories: ["unsafe_intent", "sexual_minors"],
    weight: 0.45,
    anchors: splitList(anchors),
    pattern: buildPattern(source),
    quotable: true,
  };
}

const GROOMING_RULES: readonly Rule[] = [
  {
    name: "win-a-child-unseen",
    categories: ["unsafe_intent", "sexual_minors"],
    weight: 0.45,
    anchors: CHILD_ANCHORS,
    pattern: buildPattern(
      raw`\b(?:(?:win|gain|earn|build|get)\w{0,4} [^.!?]{0,12}\b${CHILD} (?:trust|confidence)\b[^.!?]{0,80}\b${UNSEEN}|${APPROACH} [^.!?]{0,40}\b${CHILD}\b[^.!?]{0,80}\b${UNSEEN}|${CHILD}\b[^.!?]{0,20}\bto (?:meet|send|text|call|visit|trust|write) me\b[^.!?]{0,40}\b${UNSEEN})`,
      HARMLESS_SECRET,
    ),
    exceptAfter: HARMLESS_BEFORE,
  },
  {
    name: "adult-wins-a-child-unseen",
    categories: ["unsafe_intent", "sexual_minors"],
    weight: 0.7,
    anchors: CHILD_ANCHORS,
    pattern: buildPattern(
      raw`(?:${ADULT}[^!?]{0,80}\b${CHILD}\b[^!?]{0,80}\b${UNSEEN}|\b${APPROACH} [^.!?]{0,24}\b${CHILD}\b[^.!?]{0,60}\b${UNSEEN}[^.!?]{0,24}${ADULT})`,
      HARMLESS_SECRET,
    ),
    exceptAfter: HARMLESS_BEFORE,
  },
  secretContactRule(
    "de",
    "kind, vertrauen, madchen, jungen",
    raw`\b(?:kind|kinder|kindern|kindes|madchen|jungen)\b[^.!?]{0,60}\b(?:ohne (?:dass )?(?:die |ihre |seine |deren )?(?:eltern|mutter|vater)|(?:eltern|mutter) (?:es |das |davon )?(?:nicht|nichts) (?:merken|mitbekommen|erfahren|wissen)|hinter dem rucken|(?:unsere|die) nachrichten (?:zu )?loschen)(?![^.!?]{0,60}\b(?:uberrasch|geschenk|geburtstag))`,
  ),
  secretContactRule(
    "fr",
    "enfant, gamin, fillette, garcon",
    raw`\b(?:enfants?|gamine?s?|fillettes?|garcons?)\b[^.!?]{0,60}(?:sans que (?:les|ses|leurs) parents|a l'insu d(?:es|e ses|e leurs) parents|en cachette d|efface[rz]? nos messages)(?![^.!?]{0,60}\b(?:surprise|cadeau|anniversaire))`,
  ),
  secretContactRule(
    "es",
    "nino, nina, menor, chic",
    raw`\b(?:nin[oa]s?|menor(?:es)?|chic[oa]s?)\b[^.!?]{0,60}(?:sin que (?:los|sus) padres|a escondidas de (?:los|sus) padres|borr\w{1,4} nuestros mensajes)(?![^.!?]{0,60}\b(?:sorpresa|regalo|cumpleanos))`,
  ),
  secretContactRule(
    "pt",
    "crianca, menin, menor",
    raw`\b(?:criancas?|menin[oa]s?|menor(?:es)?)\b[^.!?]{0,60}(?:sem (?:que )?(?:os |seus |as )?(?:pais|mae)|escondid[oa] d(?:os|as)? (?:pais|mae)|apag\w{1,4} nossas mensagens)(?![^.!?]{0,60}\b(?:surpresa|presente|aniversario))`,
  ),
  secretContactRule(
    "it",
    "bambin, ragazzin, minor",
    raw`\b(?:bambin[oaie]|ragazzin[oaie]|minori)\b[^.!?]{0,60}(?:senza che i (?:suoi |loro )?genitori|di nascosto (?:dai|ai) genitori|cancellare i nostri messaggi)(?![^.!?]{0,60}\b(?:sorpresa|regalo|compleanno))`,
  ),
  secretContactRule(
    "pl",
    "dzieck, dzieci, dziewczynk, chlop",
    raw`\b(?:dzieck\w{1,3}|dziec[i]\w{0,3}|dziewczynk\w{1,3}|chlop\w{2,4})\b[^.!?]{0,60}(?:bez wiedzy rodzicow|zeby rodzice (?:nie|sie nie)|w tajemnicy przed rodzicami|usun\w{1,4} nasze wiadomosci)`,
  ),
  secretContactRule(
    "ru",
    "реб, дет, девочк, мальчик",
    raw`(?:реб[её]нк|дет(?:ей|ям|ьми)|девочк|мальчик)[^.!?]{0,60}(?:чтобы родители не|без ведома родителей|втайне от родителей|удал[а-я]{1,4} наши сообщения)`,
  ),
  secretContactRule(
    "zh",
    "孩子, 小孩, 儿童, 女孩, 男孩",
    raw`(?:孩子|小孩|儿童|小女孩|小男孩)[^。!?]{0,20}(?:不(?:让|被)(?:父母|家长|爸妈)|瞒着(?:父母|家长|爸妈)|删(?:掉|除)我们的)|(?:瞒着|背着)(?:父母|家长|爸妈)[^。!?]{0,20}(?:孩子|小孩|儿童|女孩|男孩)`,
  ),
  secretContactRule(
    "ja",
    "子ども, 子供, 小学生, 中学生",
    raw`(?:子ども|子供|小学生|中学生)[^。!?]{0,24}(?:親に(?:知られ|ばれ|内緒|隠れ|気づかれ)|メッセージを(?:消|削除))|親に(?:知られ|ばれ|内緒|隠れ|気づかれ)[^。!?]{0,24}(?:子ども|子供|小学生|中学生)`,
  ),
  secretContactRule(
    "ko",
    "부모, 아이, 초등학생",
    raw`(?:부모님?|엄마)(?: |가 |이 )?(?:몰래|모르게)[^.!?]{0,24}(?:아이|초등학생|중학생)|(?:아이|초등학생|중학생)[^.!?]{0,24}부모님?(?: |가 |이 )?(?:몰래|모르게)`,
  ),
  secretContactRule(
    "tr",
    "cocu, cocug, kucuk kiz",
    raw`\b(?:cocu\w{1,6}|kucuk (?:kiz|erkek)\w{0,4})\b[^.!?]{0,60}(?:(?:ailesi|annesi|anne babasi)(?:nin)? (?:bilmeden|haberi olmadan|fark etmeden|gormeden))|(?:ailesi|annesi|anne babasi)(?:nin)? (?:bilmeden|haberi olmadan|fark etmeden|gormeden)[^.!?]{0,40}\bcocu\w{1,6}`,
  ),
  secretContactRule(
    "ar",
    "طفل, أطفال, الأطفال, الطفل, اطفال",
    raw`(?:طفل|طفلة|[أا]طفال|الأطفال|الاطفال|الطفل)[^.!?؟]{0,40}(?:دون علم|بدون علم|دون أن يعرف|دون ان يعرف|سرا عن) (?:والدي|الوالدين|[أا]هل|الأهل|الاهل)`,
  ),
  secretContactRule(
    "hi",
    "बच्चे, बच्चों, बच्ची",
    raw`(?:माता-पिता|माँ-बाप|घरवालों)[^.!?।]{0,10}(?:छिपकर|छुपकर|बिना बताए|पता)[^.!?।]{0,24}बच्च|बच्च[^.!?।]{0,40}(?:माता-पिता|माँ-बाप|घरवालों)[^.!?।]{0,10}(?:छिप|छुप|पता न)`,
  ),
];

/** Requests for harm in which rules decide in other languages too. */
export const MULTILINGUAL_REQUEST_RULES: readonly Rule[] = [...SUICIDE_RULES, ...GROOMING_RULES];
