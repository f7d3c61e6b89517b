/** More characters do not improve the detection. */
const SAMPLE_CHARACTERS = 8_000;
/** Japanese mixes its own letters with Chinese ones, so a fifth of them is enough. */
const SCRIPT_SHARE_MIN = 0.2;
/** With a lower share of common words, the text may be a list of names or in an unknown language. */
const COMMON_SHARE_MIN = 0.12;
const WORDS_MIN = 3;

/** The language of a text, by its letters and its most common words; undefined: not detected. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE_CHARACTERS).toLowerCase();
  const letters = countOf(sample, /\p{L}/gu);
  if (letters === 0) return undefined;

  const byScript = SCRIPT_LANGUAGES.find((script) => countOf(sample, script.letters) / letters > SCRIPT_SHARE_MIN);
  if (byScript !== undefined) return byScript.name;
  if (countOf(sample, /\p{Script=Cyrillic}/gu) / letters > 0.5) return cyrillicLanguageOf(sample);
  return latinLanguageOf(sample, letters);
}

/** Letters that distinguish Ukrainian from Russian. */
function cyrillicLanguageOf(sample: string): string {
  return countOf(sample, /[іїєґ]/gu) > countOf(sample, /[ыэъё]/gu) ? "Ukrainian" : "Russian";
}

function latinLanguageOf(sample: string, letters: number): string | undefined {
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (words.length < WORDS_MIN) return undefined;
  const scored = LATIN_LANGUAGES.map(({ name, commonWords, ownLetters }) => {
    const common = words.filter((word) => commonWords.has(word)).length / words.length;
    return { name, common, score: common + Math.min(0.15, (2 * countOf(sample, ownLetters)) / letters) };
  }).sort((left, right) => right.score - left.score);
  const best = scored[0];
  return best !== undefined && best.common >= COMMON_SHARE_MIN ? best.name : undefined;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** A language that is detected by its most common words. */
interface Language {
  readonly name: string;
  /** Its most common words. They have no meaning for a text's topic. */
  readonly commonWords: ReadonlySet<string>;
  /** Letters that similar languages do not have. */
  readonly ownLetters: RegExp;
}

function language(name: string, ownLetters: RegExp, commonWords: string): Language {
  return { name, ownLetters, commonWords: new Set(commonWords.split(" ")) };
}

/** Languages in Latin letters. */
export const LATIN_LANGUAGES: readonly Language[] = [
  language(
    "English",
    /(?!)/gu,
    "a about above after again against all also am an and any are as at be because been before being below between both but by can cannot could did do does doing down during each even few for from further get had has have having he her here hers him his how however i if in into is it its it's itself just like made make many may me might more most much must my no nor not now of off on once one only or other our ours out over own said same shall she should since so some such than that the their theirs them then there these they this those through to too two under until up upon us used very was we well were what when where whether which while who whom whose why will with within without would yet you your",
  ),
  language(
    "German",
    /[äöüß]/gu,
    "aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass daß dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch für gegen hat hatte haben hier hin ich ihm ihn ihr ihre ihrem ihren im in ist ja jede jeder jedes jetzt kann kein keine können man mehr mein mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seit sich sie sind so soll über um und uns unter vom von vor war waren was weil wenn werden wie wieder wir wird wo wurde wurden zu zum zur zwar zwischen",
  ),
  language(
    "French",
    /[èêëîïôûçœà]/gu,
    "a à afin ai ainsi alors après au aucun aussi autre aux avait avant avec avoir car ce cela ces cet cette ceux chaque comme comment dans de des depuis deux donc dont du elle elles en encore entre est et étaient était été être eu fait faire fois font il ils je jusqu l la le les leur leurs lors lui ma mais me même mes moins mon ne ni nos notre nous on ont ou où par pas pendant peu peut plus pour pourquoi qu quand que quel quelle qui sa sans se sera ses si son sont sous sur ta te tes toi tous tout toute toutes très tu un une vers vos votre vous y",
  ),
  language(
    "Spanish",
    /[ñ¿¡]/gu,
    "a al algo algunos ante antes aquí así aún aunque bajo bien cada como con contra cual cuando cuya de del desde después donde dos durante e el él ella ellas ellos en entre era eran es esa ese eso esta está están este esto estos fue fueron ha había hace hacia han hasta hay la las le les lo los más me mi mientras mucho muy nada ni no nos nosotros o otra otro para pero poco por porque pues que qué quien se sea según ser si sí sido sin sino sobre son su sus también tan tanto te tiene tienen todo todos tras tu un una uno unos y ya yo",
  ),
  language(
    "Italian",
    /[ìò]/gu,
    "a abbiamo ad agli ai al alla alle allo anche ancora avere aveva c che chi ci coi col come con contro cosa così cui da dagli dai dal dalla dalle degli dei del della delle dello dentro di dopo dove due e è ed era erano essere fa fino fra già gli ha hanno ho i il in io la le lei li lo loro lui ma mai me mentre mi molto ne negli nei nel nella nelle nello noi non nostro o ogni oltre per perché perciò più poi prima proprio qua quale quando quanto quella quelle quello questa queste questo qui quindi sarà se sei sempre senza si sia siamo sono sopra sta stata stato su sua sue sugli sul sulla suo suoi tra tutti tutto un una uno vi voi",
  ),
  language(
    "Portuguese",
    /[ãõ]/gu,
    "a ainda além ao aos apenas as às até cada com como contra da das de dela dele deles depois desde do dois dos durante e é ela elas ele eles em entre era eram essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me menos mesmo meu minha muito muitos na não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos pode por porque quais qual quando que quem são se seja sem ser será seu seus sido sobre sua suas também tão tem têm ter teve tinha toda todas todo todos tu um uma umas uns você",
  ),
  language(
    "Dutch",
    /ij|aa|oe/gu,
    "aan al alleen als altijd andere ben bij daar dan dat de deze die dit doch doen door dus een eens en er ge geen geweest haar had hebben heb heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat we wel werd wezen wie wil wordt worden zal ze zelf zich zij zijn zo zonder zou",
  ),
  language(
    "Swedish",
    /[åäö]/gu,
    "alla allt än att av bara blev bli blir de dem den denna deras dess det detta dig din dock du där efter ej eller en ett från för genom ha hade han har henne hennes hon honom hur här i icke inte ingen jag kan kunde man med mellan men mer mig min mot mycket måste ni nu när något några och om oss på samma sedan sig sin sina skulle som så till under upp ut utan vad var vara varit vi vid vilka vill är åt över",
  ),
  language(
    "Danish",
    /[æø]/gu,
    "ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din du efter eller en end er et for fra få gør ham han hans har havde hende hendes her hos hun hvad hvis hvor i ikke ind jeg jo kan kunne man mange med meget men mere mig min mod ned noget nogle nu når og også om op os over på sammen selv sig sin skal skulle som sådan thi til ud under var vi vil ville vor være været",
  ),
  language(
    "Norwegian",
    /[æø]/gu,
    "alle at av bare ble blei bli blir da de den denne der deres det dette deg din du eller en enn er et etter for fordi fra før ha hadde han hans har hennes her hos hun hva hvis hvor hvordan i ikke ingen inn jeg kan kunne man mange med meg meget mellom men mer min mot må noe noen nå når og også om opp oss over på samme seg selv sin sine skal skulle slik som så til ut uten var ved vi vil ville være vært å",
  ),
  language(
    "Polish",
    /[ąćęłńśźż]/gu,
    "aby ale bardzo bez był była było były być bo by ci co czy dla do gdy gdzie go i ich ile im ja jak jako jednak jego jej jest jestem jeszcze już każdy kiedy kto która które którego której który których którzy lub ma mi mnie może można my na nad nas nie nic nim niż o od on ona one oni oraz pan po pod przed przez przy raz się są sobie swoje ta tak także tam te tego tej ten to tu tutaj tylko tym u w we wszystko z za ze że żeby",
  ),
  language(
    "Turkish",
    /[ğış]/gu,
    "acaba ama ancak artık asla aslında az bana bazı belki ben beni benim bile bir biraz birçok biri birkaç biz bize bizim böyle bu buna bunda bundan bunu bunun burada çok çünkü da daha de değil diğer diye dolayı en gibi göre hala hangi hatta hem henüz hep hepsi her hiç için ile ilgili ise işte kadar kendi kendine ki kim mı mi mu mü nasıl ne neden nerede olan olarak oldu olduğu olmak olur ona onlar onu onun sadece sen siz sonra şey şu tarafından tüm ve veya ya yani yine",
  ),
];

/** Languages that are detected by their letters alone. The first match is taken, so special scripts come before general ones. */
const SCRIPT_LANGUAGES: readonly { readonly name: string; readonly letters: RegExp }[] = [
  { name: "Japanese", letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu },
  { name: "Korean", letters: /\p{Script=Hangul}/gu },
  { name: "Chinese", letters: /\p{Script=Han}/gu },
  { name: "Greek", letters: /\p{Script=Greek}/gu },
  { name: "Hebrew", letters: /\p{Script=Hebrew}/gu },
  { name: "Arabic", letters: /\p{Script=Arabic}/gu },
  { name: "Hindi", letters: /\p{Script=Devanagari}/gu },
  { name: "Thai", letters: /\p{Script=Thai}/gu },
];
