import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { buildPattern, type Rule, splitList } from "./rule-matcher.ts";

const raw = String.raw;

/** Reported, never refused: a rule of a few words in a language says less than the model does in English. */
const REPORTED = 0.65;

function harmRule(
  name: string,
  categories: readonly SafetyCategory[],
  anchors: string,
  ...sources: readonly string[]
): Rule {
  return {
    name,
    categories,
    weight: REPORTED,
    anchors: splitList(anchors),
    pattern: buildPattern(sources.join("|")),
    quotable: true,
  };
}

/** A program that watches the phone of a partner. A person who fears to be watched asks how to find or remove it. */
const SPY = ["unsafe_intent", "illicit"] as const;
const SPY_RULES: readonly Rule[] = [
  harmRule(
    "spy-on-partner-fr",
    SPY,
    "logiciel espion, application espion, appli espion, mouchard, espionner",
    raw`\b(?:install|mett|met|pos|cach|gliss|comment espionn|espionn)\w{0,4}\b[^.!?]{0,40}\b(?:logiciel espion|appli(?:cation)? espionne|mouchard|telephone|portable)\b[^.!?]{0,24}\b(?:telephone |portable |mobile )?(?:de )?(?:ma|mon) (?:femme|copine|mari|copain|conjointe?|compagn\w{1,4}|ex)\b`,
  ),
  harmRule(
    "spy-on-partner-es",
    SPY,
    "espia, espiar, programa espia, aplicacion espia",
    raw`\b(?:instal|pon|met|coloc|espi)\w{0,4}\b[^.!?]{0,40}\b(?:movil|telefono|celular)\b[^.!?]{0,12}\b(?:mi) (?:mujer|esposa|novia|marido|novio|pareja|ex)\b`,
  ),
  harmRule(
    "spy-on-partner-pt",
    SPY,
    "espiao, espionar, aplicativo espiao",
    raw`\b(?:instal|coloc|bot|espi)\w{0,4}\b[^.!?]{0,40}\b(?:celular|telefone|telemovel)\b[^.!?]{0,12}\b(?:minha|meu) (?:mulher|esposa|namorad[ao]|marido|ex)\b`,
  ),
  harmRule(
    "spy-on-partner-pl",
    SPY,
    "szpieg, program szpieg, podsluch",
    raw`\b(?:zainstal|wgra|umiesc)\w{0,6}\b[^.!?]{0,40}\b(?:szpieg|podsluch)\w{0,8}[^.!?]{0,24}\btelefon\w{0,3} (?:mojej |mojego )?(?:zony|meza|dziewczyny|chlopaka|partner)`,
  ),
  harmRule(
    "spy-on-partner-ru",
    SPY,
    "шпион, слеж",
    raw`(?:установ|постав|поставить|скача)[а-я]{0,4}[^.!?]{0,24}(?:шпионск|следящ|для слежки)[^.!?]{0,24}телефон[а-я]{0,2} (?:мое[ийг][а-я]? )?(?:жен|муж|девушк|парн|подруг)`,
  ),
  harmRule(
    "spy-on-partner-zh",
    SPY,
    "间谍, 监控, 窃听, 定位",
    raw`(?:装|安装|植入|放)[^。!?]{0,12}(?:间谍|监控|窃听|定位)(?:软件|程序|应用)[^。!?]{0,12}(?:老婆|妻子|老公|丈夫|女朋友|女友|男朋友|男友)|(?:老婆|妻子|老公|丈夫|女朋友|女友|男朋友|男友)[^。!?]{0,10}(?:装|安装|植入|放)[^。!?]{0,6}(?:间谍|监控|窃听|定位)(?:软件|程序|应用)`,
  ),
  harmRule(
    "spy-on-partner-ja",
    SPY,
    "スパイ, 監視, 盗聴, 追跡",
    raw`(?:妻|夫|嫁|旦那|彼女|彼氏)の(?:スマホ|携帯|電話)[^。!?]{0,12}(?:スパイ|監視|盗聴|追跡)(?:アプリ|ソフト)を?(?:入れ|仕込|インストール)`,
  ),
  harmRule(
    "spy-on-partner-ko",
    SPY,
    "스파이, 감시, 도청",
    raw`(?:아내|남편|와이프|여자친구|여친|남자친구|남친)[^.!?]{0,16}(?:스파이|감시|도청) ?(?:앱|어플|프로그램)[^.!?]{0,6}(?:설치|깔)`,
  ),
  harmRule(
    "spy-on-partner-hi",
    SPY,
    "जासूसी, स्पाई",
    raw`(?:पत्नी|पति|बीवी|गर्लफ्रेंड|प्रेमिका|बॉयफ्रेंड)[^.!?।]{0,24}(?:जासूसी|स्पाई)[^.!?।]{0,12}(?:डाल|इंस्टॉल|लगा)`,
  ),
];

/** A text that is to move people to violence against a group. A speech against hatred has other verbs. */
const INCITEMENT = ["unsafe_intent", "hate", "violence"] as const;
const INCITEMENT_RULES: readonly Rule[] = [
  harmRule(
    "incitement-fr",
    INCITEMENT,
    "juif, musulman, arabe, noir, immigr, migrant, homosexuel, gay, rom, refugi",
    raw`\b(?:ecri|redig|compos)\w{1,4}\b[^.!?]{0,16}\b(?:discours|tracts?|textes?|articles?|messages?|chansons?)\b[^.!?]{0,16}\b(?:appel|incit|pouss|encourag)\w{1,5}\b[^.!?]{0,16}\b(?:violence|haine|meurtre|tuer|frapper|attaquer|massacre\w?)\b[^.!?]{0,16}\b(?:juifs?|musulmans?|arabes?|noirs?|immigres?|migrants?|homosexuels?|gays?|roms?|refugies)\b`,
  ),
  harmRule(
    "incitement-es",
    INCITEMENT,
    "judi, musulman, arabe, negr, inmigrante, migrante, homosexual, gay, gitan, refugiad",
    raw`\b(?:escrib|redact|compon)\w{1,4}\b[^.!?]{0,16}\b(?:discursos?|panfletos?|textos?|articulos?|mensajes?|cancion)\b[^.!?]{0,16}\b(?:llam|incit|anim|empuj|pid)\w{1,5}\b[^.!?]{0,16}\b(?:violencia|odio|asesinato|matar|golpear|atacar|matanza)\b[^.!?]{0,16}\b(?:judi[oa]s?|musulman[ea]?s?|arabes?|negr[oa]s?|(?:in)?migrantes?|homosexuales?|gays?|gitan[oa]s?|refugiad[oa]s?)\b`,
  ),
  harmRule(
    "incitement-pt",
    INCITEMENT,
    "judeu, muculman, arabe, negr, imigrante, homossexua, gays, cigan, refugiad",
    raw`\b(?:escrev|redij|redig|compon)\w{1,4}\b[^.!?]{0,16}\b(?:discursos?|panfletos?|textos?|artigos?|mensagem|musica)\b[^.!?]{0,16}\b(?:cham|incit|conclam|pec)\w{1,5}\b[^.!?]{0,16}\b(?:violencia|odio|assassinato|matar|bater|atacar|massacre)\b[^.!?]{0,16}\b(?:judeus?|judi[ao]s?|muculman[oa]s?|arabes?|negr[oa]s?|imigrantes?|homossexua\w{1,2}|gays?|cigan[oa]s?|refugiad[oa]s?)\b`,
  ),
  harmRule(
    "incitement-de",
    INCITEMENT,
    "juden, muslim, araber, schwarze, einwander, migrant, fluchtling, homosexuell, schwule, roma",
    raw`\b(?:schreib|verfass|entwirf)\w{0,3}\b[^.!?]{0,16}\b(?:rede|flugblatt|text|artikel|lied|post)\b[^.!?]{0,24}\b(?:aufruf|aufhetz|anstiftet|hetzt|gewalt)\w{0,3}\b[^.!?]{0,16}\bgegen [^.!?]{0,12}\b(?:juden|muslime|araber|schwarze|einwanderer|migranten|fluchtlinge|homosexuelle|schwule|roma)\b`,
  ),
  harmRule(
    "incitement-ru",
    INCITEMENT,
    "евре, мусульман, арабов, мигрант, цыган, геев, беженц",
    raw`напиши(?:те)? [^.!?]{0,12}(?:речь|листовк|текст|стать|песн|пост)[^.!?]{0,12}(?:призыв|подстрека)[^.!?]{0,24}(?:насили|убийств|убивать|бить|погром)[^.!?]{0,16}(?:евре|мусульман|араб|мигрант|цыган|геев|беженц)`,
  ),
  harmRule(
    "incitement-ar",
    INCITEMENT,
    "اليهود, المسيحيين, المهاجرين, الشيعة, السنة, السود, اللاجئين",
    raw`(?:اكتب|أكتب)[^.!?؟]{0,16}(?:خطاب|منشور|مقال|نص)[^.!?؟]{0,16}(?:يدعو|يحرض|تحريض|دعوة)[^.!?؟]{0,16}(?:العنف|قتل|كراهية|ضرب)[^.!?؟]{0,16}(?:اليهود|المسيحيين|المهاجرين|الشيعة|السنة|السود|اللاجئين)`,
  ),
  harmRule(
    "incitement-zh",
    INCITEMENT,
    "煽动, 号召, 鼓动",
    raw`写[^。!?]{0,12}(?:煽动|号召|鼓动)[^。!?]{0,16}(?:犹太人|穆斯林|黑人|移民|难民|同性恋|维吾尔人|日本人)[^。!?]{0,12}(?:暴力|杀|打|仇恨|袭击)?[^。!?]{0,12}(?:演讲|演说|传单|文章|帖子)|写[^。!?]{0,12}(?:演讲|演说|传单|文章|帖子)[^。!?]{0,6}(?:煽动|号召|鼓动)[^。!?]{0,16}(?:暴力|杀|打|仇恨|袭击)`,
  ),
  harmRule(
    "incitement-ja",
    INCITEMENT,
    "煽る, 煽動, 扇動, 呼びかけ",
    raw`(?:ユダヤ人|イスラム教徒|黒人|移民|難民|同性愛者|外国人|在日)(?:へ|に対する|を)の?(?:暴力|攻撃|憎悪|殺)[^。!?]{0,8}(?:煽る|煽動|扇動|呼びかけ)[^。!?]{0,10}(?:演説|スピーチ|ビラ|文章|記事|投稿)[^。!?]{0,4}(?:書い|作っ)`,
  ),
  harmRule(
    "incitement-ko",
    INCITEMENT,
    "선동, 부추기",
    raw`(?:유대인|무슬림|흑인|이민자|난민|동성애자|외국인)[^.!?]{0,10}(?:폭력|증오|살해|공격)[^.!?]{0,6}(?:선동|부추기)[^.!?]{0,8}(?:연설|전단|글|기사)[^.!?]{0,6}(?:써|작성)`,
  ),
];

const WEAPON = ["unsafe_intent", "violence", "illicit"] as const;
const WEAPON_RULES: readonly Rule[] = [
  harmRule(
    "make-a-bomb-pl",
    WEAPON,
    "bomb, wybuchow",
    raw`\bjak\b[^.!?]{0,24}\b(?:zbudowac|zrobic|skonstruowac|wykonac)\b[^.!?]{0,16}(?:\bbomb[eyę]\b|\b(?:material|ladunek)\w{0,3} wybuchow)`,
  ),
  harmRule(
    "make-a-bomb-tr",
    WEAPON,
    "bomba, patlayici",
    raw`\bnasil\b[^.!?]{0,12}\b(?:bomba|patlayici)\b[^.!?]{0,12}(?:yap|uret|hazirl|imal)|\b(?:bomba|patlayici)\b[^.!?]{0,12}\bnasil (?:yap|uret|hazirl|imal)`,
  ),
  harmRule(
    "make-a-bomb-hi",
    WEAPON,
    "बम, विस्फोटक",
    raw`(?:बम|विस्फोटक)[^.!?।]{0,10}कैसे (?:बन|तैयार)|कैसे[^.!?।]{0,8}(?:बम|विस्फोटक)[^.!?।]{0,6}(?:बन|तैयार)`,
  ),
  harmRule(
    "make-a-bomb-zh",
    WEAPON,
    "炸弹, 炸药, 爆炸物, 炸彈, 炸藥",
    raw`(?:怎么|怎样|如何|怎麼)[^。!?]{0,10}(?:制造|制作|自制|製造|製作|造|做)(?:一个|一枚|出|个)?(?:土|简易)?(?:炸弹|炸药|爆炸物|炸彈|炸藥)(?!蛋糕|游戏)`,
  ),
  harmRule(
    "make-a-bomb-ar",
    WEAPON,
    "قنبلة, قنابل, متفجرات, ناسفة",
    raw`(?:كيف|طريقة)[^.!?؟]{0,12}(?:[أا]صنع|صنع|تصنيع|صناعة) (?:قنبلة|قنابل|متفجرات|عبوة ناسفة)`,
  ),
];

const CRIME = ["unsafe_intent", "illicit"] as const;
const DRUGS =
  "lsd|mdma|cocain[ae]|kokain|heroin[ae]?|methamphetamin[ae]?|metanfetamin[ae]|meth|ghb|fentanyl[oe]?|fentanilo?";
const CRIME_RULES: readonly Rule[] = [
  harmRule(
    "make-a-drug-latin",
    CRIME,
    "lsd, mdma, cocain, kokain, heroin, meth, metanfetamin, ghb, fentan",
    raw`\b(?:comment|como|come|wie|jak)\b[^.!?]{0,16}\b(?:synthetis|sintetiz|fabri[ck]|produ[zc]|cozinh|cocin|koche?|herstell|wyprodukow|zrobi)\w{0,5}\b[^.!?]{0,16}\b(?:${DRUGS})\b`,
    raw`\bwie\b[^.!?]{0,24}\b(?:${DRUGS})\b[^.!?]{0,24}\b(?:herstellen|kochen|synthetisieren)\b`,
  ),
  harmRule(
    "make-a-drug-ru",
    CRIME,
    "мефедрон, метамфетамин, амфетамин, героин, кокаин, лсд",
    raw`(?:как|рецепт)[^.!?]{0,24}(?:сварить|синтезировать|приготовить|изготовить|сделать)[^.!?]{0,12}(?:мефедрон|метамфетамин|амфетамин|героин|кокаин|лсд)`,
  ),
  harmRule(
    "pose-as-a-bank-zh",
    CRIME,
    "冒充, 假冒",
    raw`写[^。!?]{0,12}(?:冒充|假冒)(?:银行|公安|警察|客服|政府)[^。!?]{0,24}(?:骗|盗取|套取|窃取)`,
  ),
  harmRule(
    "pose-as-a-bank-ja",
    CRIME,
    "装って, 装った, 装い, なりすま",
    raw`(?:銀行|警察|役所|宅配業者)(?:を装っ|を装い|になりすま)[^。!?]{0,20}(?:盗む|盗み|騙し取|だまし取|聞き出)[^。!?]{0,12}(?:書い|作っ)`,
  ),
  harmRule(
    "pose-as-a-bank-ko",
    CRIME,
    "사칭",
    raw`(?:은행|경찰|정부|택배)[^.!?]{0,4} 사칭[^.!?]{0,24}(?:훔치|빼내|빼앗|알아내)[^.!?]{0,12}(?:써|작성|만들)`,
  ),
  harmRule(
    "steal-passwords-es",
    CRIME,
    "contrasena",
    raw`\b(?:escrib|cre|haz|hag|program)\w{0,4}\b[^.!?]{0,24}\b(?:que )?(?:robe|robar)\b[^.!?]{0,16}\bcontrasenas\b`,
  ),
];

/**
 * Requests for harm in languages in which the model knows little of it. They decide by themselves and are no features of
 * the model, so that a new language needs no training.
 */
export const HARM_BY_LANGUAGE_RULES: readonly Rule[] = [
  ...SPY_RULES,
  ...INCITEMENT_RULES,
  ...WEAPON_RULES,
  ...CRIME_RULES,
];
