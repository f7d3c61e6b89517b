/**
 * Words that a turn of a conversation may have without saying what the work is: they only carry on what was said before.
 * Languages without spaces between words are known by what such a turn has as a whole.
 */
const CARRYING_ON_BY_LANGUAGE = {
  english:
    "yes yeah yep yup no nope ok okay sure right please pls go on ahead now then next start begin continue proceed keep going again retry redo repeat more less shorter longer better simpler faster further else also too still well so but just only why wrong false incorrect correct mistake think try do don't did done make give show tell let let's want need can could would should will you i i'd i'm me my we us there here not isn't doesn't didn't won't exactly agreed fine stop wait hm hmm finish finished complete completely rest remaining carefully all any some stuff thing good bad up out off about with without whole full",
  german:
    "ja nein doch bitte weiter mach machen los fang an also nochmal noch mal einmal mehr weniger kürzer länger besser genauer falsch stimmt nicht richtig überleg denk nach warum wieso und oder aber genau gut gern gerne jetzt dann fertig rest gib zeig mir du ich wir kannst es so",
  french:
    "oui non si s'il te vous plaît plait continue continuez vas y allez encore plus moins court long mieux faux réfléchis pourquoi et ou mais alors d'accord maintenant ensuite suite reste donne montre moi tu je nous peux est pas c'est",
  spanish:
    "sí vale por favor sigue siga continúa adelante otra vez más menos corto largo mejor mal piensa piénsalo porque qué y pero entonces ahora luego resto dame muestra yo puedes está eso es incorrecto de nuevo",
  italian:
    "sì certo per favore continua continui vai avanti ancora più meno corto lungo meglio sbagliato pensaci perché e ma allora adesso poi resto dammi mostra puoi è non di nuovo",
  portuguese:
    "sim não continua continue prossiga mais menos curto longo melhor errado pensa pense porquê então agora depois mostra mostre você pode isso está novamente",
  dutch: "nee graag alsjeblieft ga door verder opnieuw meer minder korter langer beter fout denk waarom maar nu dan",
  polish: "tak nie proszę dalej kontynuuj jeszcze raz więcej mniej krócej dłużej lepiej źle pomyśl dlaczego teraz",
  turkish: "evet hayır lütfen devam et tekrar daha az kısa uzun iyi yanlış düşün neden şimdi tamam",
  russian:
    "да нет пожалуйста дальше продолжай продолжайте давай ещё еще раз больше меньше короче длиннее лучше неверно неправильно подумай почему и но теперь хорошо ок это не так",
  greek: "ναι όχι παρακαλώ συνέχισε πάλι περισσότερο λάθος γιατί τώρα",
  arabic: "نعم لا من فضلك تابع أكمل استمر مرة أخرى المزيد خطأ فكر لماذا الآن",
  hebrew: "כן לא בבקשה המשך תמשיך שוב עוד טעות למה עכשיו",
  hindi: "हाँ हां नहीं कृपया जारी रखें रखो आगे फिर से और गलत सोचो क्यों अब",
  korean: "네 예 응 아니요 아니 계속 계속해 계속해줘 계속하세요 다시 더 틀렸어 왜 이제 그래 좋아",
  unspaced:
    "继续 请继续 接着 是 是的 好 好的 不 不对 错了 再来 再想想 为什么 可以 繼續 請繼續 续けて 続けて 続けてください 続き はい いいえ お願いします もう一度 違う 違います なぜ どうして ต่อ ใช่ ไม่",
};

/** Words that stand for something earlier: a turn with one is about that as well. */
const REFERRING_BY_LANGUAGE = {
  english:
    "it its it's this that that's these those them they above previous earlier same instead your second third step",
  german: "das dies diese dieser dieses damit davon dazu daran sie ihn oben vorige letzte schritt",
  french: "cela ça ce cette ces celui celle précédent étape",
  spanish: "esto esta este ese esa aquello anterior paso",
  others:
    "questo quello isto isso dit deze то это этот эта 这 那 上面 これ それ その 그것 이것 هذا هذه यह वह bu şu αυτό זה",
};

const wordsOf = (lists: Readonly<Record<string, string>>) => Object.values(lists).flatMap((list) => list.split(" "));

export const CARRYING_ON_WORDS: readonly string[] = wordsOf(CARRYING_ON_BY_LANGUAGE);
export const REFERRING_WORDS: readonly string[] = wordsOf(REFERRING_BY_LANGUAGE);
