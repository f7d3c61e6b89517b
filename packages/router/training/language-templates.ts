import type { Level } from "./template-phrases.ts";

/**
 * Requests in other languages than English, one line for each language and kind of work: its domain, how hard it is, and
 * the request. One of the phrases in brackets is drawn each time. They teach which words ask for hard work.
 */
const LINES = `
de|small talk|0|(Hallo/Guten Tag/Moin/Servus)(!/, wie geht's?/, schön dass du da bist)
de|facts|0|(Was ist die Hauptstadt von/Welche Währung hat/Wie viele Einwohner hat/Welche Sprache spricht man in) (Italien/Japan/Peru/Kenia)?
de|translation|1|(Übersetze ins Englische/Übersetz bitte auf Englisch/Wie heißt auf Französisch): (Der Laden ist montags zu/Guten Appetit/Wo ist der Bahnhof?)
de|summarising|1|(Fasse den Text kurz zusammen/Fass das in einem Satz zusammen/Fasse dies in wenigen Sätzen zusammen/Nenne die wichtigsten Punkte): (Die Sitzung wurde verschoben/Das Werk schließt im Frühjahr)
de|writing|1|(Schreib/Schreibe/Verfasse) (eine kurze E-Mail an meine Chefin/eine Einladung zum Geburtstag/einen Vierzeiler über den Herbst)
de|writing|2|(Schreib/Dichte/Verfasse) (ein Gedicht/ein Märchen/eine Ballade/eine Rede) (über den Winter/über meinen Vater/über die Berge), (drei Strophen/gereimt/heiter)
de|short programs|1|(Wie kehre ich in Python eine Liste um?/Schreibe eine Funktion die zwei Zahlen addiert/Wie lese ich in Java eine Datei ein?)
de|grade-school maths|1|(Wie viel ist/Was sind) (12 mal 7/15 Prozent von 80/240 geteilt durch 6)?
de|health|1|(Was hilft gegen/Welche Symptome hat/Wie lange dauert) (Kopfschmerzen/eine Erkältung/Grippe)?
de|advice|1|(Was koche ich heute mit/Ein einfaches Rezept mit) (Kartoffeln und Eiern/Reis und Linsen)
de|history|2|(Warum begann/Was waren die Folgen von/Wie kam es zu) (der Französischen Revolution/der Reformation/dem Dreißigjährigen Krieg)?
de|law|2|(Mein Vermieter zahlt die Kaution nicht zurück/Mein Chef zahlt keine Überstunden), was kann ich tun?
de|health|3|(Welche Wechselwirkungen haben/Wie dosiert man) (Lithium und Ibuprofen/Digoxin und Amiodaron) bei (Niereninsuffizienz/Leberzirrhose)?
de|law|3|(Entwirf eine Wettbewerbsklausel/Prüfe die Haftungsklausel/Nenne Rechtsprechung und Gegenmeinung) (im Gesellschaftsrecht/nach deutschem Recht)
de|software work|4|(Implementiere/Entwirf/Schreibe) (einen verteilten Konsens/eine lockfreie Warteschlange/einen optimierenden Compiler/eine linearisierbare Datenbank) (in Rust/in C++) und (beweise/begründe) (die Korrektheit/die Speicherordnung)
de|maths|4|(Beweise/Zeige/Leite her/Beweise streng) (den Satz von Stokes/den Satz von Hahn-Banach/den Fundamentalsatz der Algebra/die quadratische Reziprozität/, dass jede stetige Funktion integrierbar ist/, dass Wurzel 2 irrational ist) (/in allen Einzelheiten)
de|physics|4|(Leite/Erkläre streng und leite) (die Hawking-Temperatur/die Renormierungsgruppe/die Einsteingleichungen) (aus der Wirkung/im Detail) her
fr|small talk|0|(Bonjour/Salut/Coucou)( !/, ça va ?/, merci beaucoup)
fr|facts|0|(Quelle est la capitale/Quelle est la monnaie/Combien d'habitants a la ville) (de l'Italie/du Pérou/du Japon) ?
fr|translation|1|(Traduis en anglais/Traduisez en allemand/Comment dit-on en espagnol) : (Le magasin est fermé/Où est la gare ?/Bon appétit)
fr|summarising|1|(Résume ce texte en une phrase/Résumez en trois points/Résume brièvement) : (La réunion est reportée/L'usine fermera au printemps)
fr|writing|1|(Écris/Rédige/Écrivez) (un court e-mail à ma patronne/une invitation/un petit poème sur l'automne)
fr|writing|2|(Écris/Compose) (un poème/un conte/un discours) (sur l'hiver/sur mon père), (en trois strophes/avec des rimes)
fr|short programs|1|(Comment inverser une liste en Python ?/Écris une fonction qui additionne deux nombres)
fr|grade-school maths|1|(Combien font/Combien fait) (12 fois 7/15 pour cent de 80/240 divisé par 6) ?
fr|advice|1|(Que cuisiner avec/Une recette simple avec) (des œufs et du riz/des pommes de terre)
fr|history|2|(Pourquoi/Comment) (la Révolution française a-t-elle commencé/la Réforme a-t-elle réussi) ?
fr|health|3|(Quelles interactions entre/Comment doser) (le lithium et l'ibuprofène/la digoxine) (en cas d'insuffisance rénale/chez un patient cirrhotique) ?
fr|law|3|(Rédigez une clause de non-concurrence/Analysez la jurisprudence sur la clause de responsabilité) en droit (français/suisse)
fr|software work|4|(Implémente/Conçois/Écris) (un consensus distribué/une file sans verrou/un compilateur optimisant) (en Rust/en C++) et (démontre/justifie) (sa correction/l'ordre mémoire)
fr|maths|4|(Démontrer/Démontrez/Prouve/Démontre rigoureusement/Trouver toutes les fonctions telles/Déterminer tous les entiers tels) (le théorème de Stokes/que f(x+y)=f(x)f(y)/qu'il existe une infinité de nombres premiers/le théorème fondamental de l'algèbre/la réciprocité quadratique/l'irrationalité de racine de 2)
fr|physics|4|(Dérive/Démontre/Calcule) (la température de Hawking/les équations d'Einstein/le groupe de renormalisation) (à partir de l'action/en détail)
es|small talk|0|(Hola/Buenos días/Buenas)(!/, ¿qué tal?/, muchas gracias)
es|facts|0|¿(Cuál es la capital/Qué moneda tiene/Cuántos habitantes tiene) (de Italia/Perú/Japón)?
es|translation|1|(Traduce al inglés/Cómo se dice en francés): (La tienda está cerrada/¿Dónde está la estación?)
es|summarising|1|(Resume este texto en una frase/Resúmelo en tres puntos): (La reunión se aplaza/La fábrica cerrará)
es|writing|1|(Escribe/Redacta) (un correo corto a mi jefa/una invitación/un poema sobre el otoño)
es|writing|2|(Escribe/Compón) (un poema/un cuento/un discurso) (sobre el invierno/sobre mi padre), (en tres estrofas/con rima)
es|short programs|1|(¿Cómo invierto una lista en Python?/Escribe una función que sume dos números)
es|grade-school maths|1|¿Cuánto es (12 por 7/el 15 por ciento de 80/240 entre 6)?
es|advice|1|(¿Qué cocino con/Una receta fácil con) (huevos y arroz/patatas)?
es|history|2|¿(Por qué empezó/Qué consecuencias tuvo) (la Revolución francesa/la Reforma)?
es|health|3|¿(Qué interacciones tienen/Cómo se dosifican) (el litio y el ibuprofeno/la digoxina) (en insuficiencia renal/con cirrosis)?
es|law|3|(Redacta una cláusula de no competencia/Analiza la jurisprudencia sobre responsabilidad) en derecho (español/mexicano)
es|software work|4|(Implementa/Diseña/Escribe) (un consenso distribuido/una cola sin bloqueos/un compilador optimizador) (en Rust/en C++) y (demuestra/justifica) (su corrección/el orden de memoria)
es|maths|4|(Demuestra/Demuestre/Prueba/Demuestra rigurosamente) (el teorema de Stokes/que hay infinitos números primos/el teorema fundamental del álgebra/la reciprocidad cuadrática)
es|physics|4|(Deriva/Demuestra/Calcula) (la temperatura de Hawking/las ecuaciones de Einstein) (a partir de la acción/en detalle)
it|small talk|0|(Ciao/Buongiorno/Salve)(!/, come stai?/, grazie mille)
it|facts|0|(Qual è la capitale/Quanti abitanti ha la città/Qual è la moneta) (del Perù/del Giappone/della Francia)?
it|translation|1|(Traduci in inglese/Come si dice in francese): (Il negozio è chiuso/Dov'è la stazione?)
it|summarising|1|(Riassumi questo testo in una frase/Riassumilo in tre punti): (La riunione è rinviata/La fabbrica chiuderà)
it|writing|1|(Scrivi/Componi) (una breve email alla mia capa/un invito/una poesia sull'autunno)
it|grade-school maths|1|Quanto fa (12 per 7/il 15 per cento di 80)?
it|advice|1|(Cosa cucino con/Una ricetta facile con) (uova e riso/patate)?
it|health|3|(Quali interazioni hanno/Come si dosano) (il litio e l'ibuprofene/la digossina) (nell'insufficienza renale/nella cirrosi)?
it|software work|4|(Implementa/Progetta/Scrivi) (un consenso distribuito/una coda senza lock/un compilatore ottimizzante) (in Rust/in C++) e (dimostra/giustifica) (la correttezza/l'ordine di memoria)
it|maths|4|(Dimostra/Dimostrare/Dimostra rigorosamente) (il teorema di Stokes/che esistono infiniti numeri primi/il teorema fondamentale dell'algebra/la reciprocità quadratica)
pt|small talk|0|(Olá/Oi/Bom dia)(!/, tudo bem?/, muito obrigado)
pt|facts|0|(Qual é a capital/Quantos habitantes tem/Qual é a moeda) (da Itália/do Peru/do Japão)?
pt|translation|1|(Traduza para o inglês/Como se diz em francês): (A loja está fechada/Onde fica a estação?)
pt|summarising|1|(Resuma este texto em uma frase/Resume em três pontos): (A reunião foi adiada/A fábrica vai fechar)
pt|writing|1|(Escreva/Escreve) (um e-mail curto para a minha chefe/um convite/um poema sobre o outono)
pt|grade-school maths|1|Quanto é (12 vezes 7/15 por cento de 80)?
pt|software work|4|(Implemente/Projete/Implementa) (um consenso distribuído/uma fila sem bloqueios/um compilador otimizador) (em Rust/em C++) e (prove/justifique) (a correção/a ordem de memória)
pt|maths|4|(Prove/Demonstre/Prova rigorosamente/Demonstra) (o teorema de Stokes/que há infinitos números primos/o teorema fundamental da álgebra/a reciprocidade quadrática)
nl|small talk|0|(Hallo/Hoi/Goedemorgen)(!/, hoe gaat het?/, dank je wel)
nl|facts|0|(Wat is de hoofdstad van/Hoeveel inwoners heeft) (Italië/Peru/Japan)?
nl|summarising|1|(Vat dit samen in één zin/Vat de tekst kort samen): (De vergadering is uitgesteld/De fabriek sluit)
nl|writing|1|(Schrijf/Maak) (een korte e-mail aan mijn baas/een uitnodiging/een gedicht over de herfst)
nl|software work|4|(Implementeer/Ontwerp) (een gedistribueerde consensus/een lockvrije wachtrij/een optimaliserende compiler) en (bewijs/onderbouw) (de correctheid/de geheugenordening)
nl|maths|4|(Bewijs/Toon aan/Bewijs streng) (de stelling van Stokes/dat er oneindig veel priemgetallen zijn/de hoofdstelling van de algebra)
pl|small talk|0|(Cześć/Dzień dobry/Hej)(!/, jak się masz?/, dziękuję bardzo)
pl|facts|0|(Jaka jest stolica/Ilu mieszkańców ma/Jaka waluta jest w) (Włoch/Peru/Japonii)?
pl|summarising|1|(Streść ten tekst w jednym zdaniu/Podsumuj w trzech punktach): (Spotkanie przełożono/Fabryka zostanie zamknięta)
pl|writing|1|(Napisz/Ułóż) (krótki e-mail do szefowej/zaproszenie/wiersz o jesieni)
pl|grade-school maths|1|Ile to jest (12 razy 7/15 procent z 80)?
pl|software work|4|(Zaimplementuj/Zaprojektuj/Napisz) (rozproszony konsensus/kolejkę bez blokad/kompilator optymalizujący) i (udowodnij/uzasadnij) (poprawność/porządek pamięci)
pl|maths|4|(Udowodnij/Wykaż/Udowodnij ściśle) (twierdzenie Stokesa/że istnieje nieskończenie wiele liczb pierwszych/zasadnicze twierdzenie algebry/prawo wzajemności reszt kwadratowych)
tr|small talk|0|(Merhaba/Selam/Günaydın)(!/, nasılsın?/, ne haber?/, çok teşekkürler)
tr|facts|0|(İtalya'nın/Peru'nun/Japonya'nın) (başkenti neresi/nüfusu kaç/para birimi ne/başkenti nedir)?
tr|summarising|1|(Bu metni bir cümleyle özetle/Üç maddede özetle): (Toplantı ertelendi/Fabrika kapanacak)
tr|writing|1|(patronuma kısa bir e-posta/bir davetiye/sonbahar hakkında bir şiir) yaz
tr|grade-school maths|1|(12 çarpı 7/80'in yüzde 15'i) kaç eder?
tr|maths|4|(ara değer teoremini/sabit nokta teoremini/karesel karşılıklılık yasasını) (tüm adımlarıyla titizlikle kanıtla/ayrıntılı biçimde ispatla)
tr|software work|4|(Rust ile/C++ ile) (dağıtık bir uzlaşma/kilitsiz bir kuyruk/eniyileyen bir derleyici) (yaz/tasarla/gerçekle) ve (doğruluğunu/bellek sıralamasını) (kanıtla/ispatla)
tr|maths|4|(Stokes teoremini/sonsuz sayıda asal olduğunu/cebirin temel teoremini/kök ikinin irrasyonel olduğunu) (kanıtla/ispatla/titizlikle kanıtla/ispatlayın)
ru|small talk|0|(Привет/Здравствуйте/Добрый день)(!/, как дела?/, большое спасибо)
ru|facts|0|(Какая столица/Назови столицу/Сколько жителей в/Какая валюта в) (Италии/Перу/Японии)?
ru|translation|1|(Переведи на английский/Как по-французски будет): (Магазин закрыт/Где вокзал?)
ru|summarising|1|(Кратко перескажи текст/Сделай краткое резюме): (Встречу перенесли/Завод закроют весной)
ru|writing|1|(Напиши/Сочини) (короткое письмо начальнице/приглашение на праздник/стихотворение про осень)
ru|writing|2|(Напиши/Сочини) (балладу/сказку/речь) (про зиму/про моего отца), (в рифму/в трёх строфах)
ru|short programs|1|(Как развернуть список в Python?/Напиши функцию, которая складывает два числа)
ru|grade-school maths|1|Сколько будет (12 умножить на 7/15 процентов от 80)?
ru|advice|1|(Что приготовить из/Простой рецепт с) (яиц и риса/картошкой)
ru|health|3|(Какие взаимодействия у/Как дозировать) (лития и ибупрофена/дигоксина) при (почечной недостаточности/циррозе)?
ru|software work|4|(Реализуй/Спроектируй/Напиши) (распределённый консенсус/очередь без блокировок/оптимизирующий компилятор/сборщик мусора) (на Rust/на C++) и (докажи/обоснуй) (корректность/порядок памяти)
ru|maths|4|(Докажи/Докажите/Строго докажи/Доказать/Найдите все функции такие) (теорему Стокса/, что простых чисел бесконечно много/основную теорему алгебры/квадратичный закон взаимности/, что f(x+y)=f(x)f(y))
ru|maths|4|(Докажи/Докажите/Докажи строго), что (корень из двух иррационален/всякая конечная область целостности — поле/ряд сходится), (со всеми подробностями/включая леммы)
ru|physics|4|(Выведи/Выведите) (температуру Хокинга/уравнения Эйнштейна) (из действия/подробно)
uk|facts|0|(Яка столиця/Скільки жителів у) (Італії/Перу/Японії)?
uk|maths|4|(Доведи/Доведіть/Строго доведи) (теорему Стокса/, що простих чисел нескінченно багато/основну теорему алгебри)
el|small talk|0|(Γεια σου/Καλημέρα)(!/, τι κάνεις;)
el|facts|0|(Ποια είναι η πρωτεύουσα/Πόσους κατοίκους έχει) (της Ιταλίας/του Περού/της Ιαπωνίας);
el|maths|4|(Απόδειξε/Αποδείξτε/Απόδειξε αυστηρά) (το θεώρημα του Στόουκς/ότι οι πρώτοι αριθμοί είναι άπειροι/το θεμελιώδες θεώρημα της άλγεβρας)
ar|small talk|0|(مرحبا/السلام عليكم/صباح الخير)(!/، كيف حالك؟)
ar|facts|0|(ما هي عاصمة/كم عدد سكان/ما عملة) (إيطاليا/بيرو/اليابان)؟
ar|translation|1|(ترجم إلى الإنجليزية/كيف أقول بالفرنسية): (المتجر مغلق/أين المحطة؟)
ar|summarising|1|(لخص هذا النص في جملة/لخص في ثلاث نقاط): (تأجل الاجتماع/سيغلق المصنع)
ar|writing|1|(اكتب) (رسالة قصيرة إلى مديرتي/دعوة/قصيدة عن الخريف)
ar|maths|4|(أثبت/اشرح بدقة برهان) (مبرهنة القيمة الوسطى/مبرهنة النقطة الثابتة) (مع كل التفاصيل/خطوة بخطوة)
ar|software work|4|(نفذ/صمم/اكتب) (توافقا موزعا/طابورا بلا أقفال/مترجما محسنا) (بلغة Rust/بلغة C++) و(أثبت/برهن) (صحته/ترتيب الذاكرة)
ar|maths|4|(أثبت/برهن/أثبت بدقة/اشرح برهان) (مبرهنة ستوكس/أن الأعداد الأولية لا نهائية/المبرهنة الأساسية في الجبر)
he|facts|0|(מהי בירת/כמה תושבים יש ב) (איטליה/פרו/יפן)?
he|small talk|0|(שלום/היי/בוקר טוב)(!/, מה שלומך?)
he|maths|4|(הוכח/הוכיחו/הוכח בקפדנות) (את משפט סטוקס/שיש אינסוף ראשוניים/את המשפט היסודי של האלגברה)
hi|small talk|0|(नमस्ते/हैलो/सुप्रभात)(!/, आप कैसे हैं?)
hi|facts|0|(इटली/पेरू/जापान) की (राजधानी क्या है/मुद्रा क्या है/जनसंख्या कितनी है)?
hi|advice|1|मुझे (चावल/अंडे/दाल) (बनाने की आसान रेसिपी बताओ/से क्या पका सकते हैं)
hi|writing|1|(मेरी बॉस को छोटा ईमेल/निमंत्रण/शरद पर कविता) लिखो
hi|software work|4|(Rust में/C++ में) (वितरित सहमति/लॉक-फ्री कतार) (लागू करो/डिज़ाइन करो) और (शुद्धता/मेमोरी क्रम) (सिद्ध करो/समझाओ)
hi|maths|4|(स्टोक्स प्रमेय/अभाज्य संख्याएँ अनंत हैं/बीजगणित की मूलभूत प्रमेय) (सिद्ध कीजिए/सिद्ध करो/कठोरता से सिद्ध करो)
ko|small talk|0|(안녕/안녕하세요/좋은 아침)(!/, 잘 지내?/, 고마워)
ko|facts|0|(이탈리아의/페루의/일본의) (수도는 어디야/수도는 어디인가요/인구는 몇 명이야/화폐는 뭐야)?
ko|translation|1|(영어로 번역해줘/프랑스어로 뭐라고 해): (가게는 닫혀 있습니다/역이 어디예요?)
ko|short programs|1|(파이썬에서 리스트를 뒤집는 방법/두 수를 더하는 함수를 써줘/파일을 읽는 코드를 써줘)
ko|summarising|1|(이 글을 한 문장으로 요약해줘/세 가지로 요약해줘): (회의가 연기되었다/공장이 문을 닫는다)
ko|maths|4|(중간값 정리를/부동점 정리를/이차 상호 법칙을) (모든 보조정리와 함께 엄밀히 증명해 주세요/자세히 유도하라)
ko|software work|4|(Rust로/C++로) (분산 합의를/락프리 큐를/최적화 컴파일러를) (구현하고/설계하고) (정확성을/메모리 순서를) (증명해줘/증명하세요)
ko|maths|4|(스토크스 정리를/소수가 무한함을/대수학의 기본 정리를/제곱근 2가 무리수임을) (증명하라/증명하시오/엄밀하게 증명해줘)
zh|small talk|0|(你好/嗨/早上好)(!/,最近怎么样?/,谢谢你)
zh|facts|0|(意大利/秘鲁/日本)(的首都是哪里/的首都是什么/有多少人口/用什么货币)?
zh|translation|1|(翻译成英文/请翻译成法语):(商店星期一关门/车站在哪里?)
zh|summarising|1|(用一句话总结这段文字/概括为三点):(会议推迟了/工厂春天关闭)
zh|writing|1|(写/帮我写)(一封给老板的短邮件/一份邀请函/一首关于秋天的诗)
zh|short programs|1|(Python怎么反转列表?/写一个把两个数相加的函数)
zh|grade-school maths|1|(12乘以7/80的百分之15)(是多少/等于多少)?
zh|advice|1|(用鸡蛋和米饭做什么菜/土豆的简单做法)?
zh|maths|4|(证明/请严格证明)(中值定理/不动点定理/任意有限整环都是域/对任意正整数n存在无穷多个解),(包括所有引理/写出每一步)
zh|software work|4|(用Rust/用C++)(实现/设计)(分布式共识算法/无锁队列/优化编译器),并(证明/论证)(其正确性/内存序)
zh|maths|4|(证明/严格证明/试证明/推导):(斯托克斯定理/素数有无穷多个/代数基本定理/根号二是无理数/二次互反律)
zh|physics|4|(推导/详细推导)(霍金温度/爱因斯坦方程/重整化群)
ja|small talk|0|(こんにちは/おはよう/やあ)(!/、元気?/、ありがとう)
ja|facts|0|(イタリア/ペルー/日本)の(首都はどこですか/人口は何人ですか/通貨は何ですか/首都は?)
ja|translation|1|(英語に訳して/フランス語で何と言いますか):(店は月曜日に閉まっています/駅はどこですか)
ja|translation|3|(この判決文/この特許明細書/この法律)を(正確な英語に翻訳し、用語を説明してください/英訳してください)
ja|summarising|1|(この文章を一文で要約して/三点にまとめてください):(会議は延期されました/工場は閉鎖されます)
ja|writing|1|(上司への短いメール/招待状/秋についての詩)を書いて(ください/)
ja|advice|1|(卵とご飯/じゃがいも)で(何が作れますか/簡単なレシピを教えて)
ja|maths|4|(中間値の定理/代数学の基本定理/不動点定理/ゼータ関数の性質)を(すべての補題も含めて厳密に証明してください/厳密に導いてください/詳しく証明せよ)
ja|software work|4|(Rustで/C++で)(分散合意/ロックフリーキュー/最適化コンパイラ)を(実装し/設計し)、(正しさ/メモリ順序)を(証明してください/説明してください)
ja|maths|4|(ストークスの定理/素数が無限に存在すること/代数学の基本定理/平方剰余の相互法則)を(証明してください/厳密に証明せよ/導出せよ)
sv|facts|0|(Vad är huvudstaden i/Hur många invånare har) (Italien/Peru/Japan)?
sv|maths|4|(Bevisa/Visa/Bevisa strikt) (Stokes sats/att det finns oändligt många primtal/algebrans fundamentalsats)
vi|facts|0|(Thủ đô của/Dân số của) (Ý/Peru/Nhật Bản) (là gì/là bao nhiêu)?
vi|maths|4|(Chứng minh/Hãy chứng minh chặt chẽ) (định lý Stokes/có vô hạn số nguyên tố/định lý cơ bản của đại số)
id|facts|0|(Apa ibu kota/Berapa penduduk) (Italia/Peru/Jepang)?
id|maths|4|(Buktikan/Buktikan secara ketat) (teorema Stokes/bahwa bilangan prima tak terhingga/teorema dasar aljabar)
th|facts|0|(เมืองหลวงของ/ประชากรของ)(อิตาลี/เปรู/ญี่ปุ่น)(คืออะไร/คือที่ไหน)
th|maths|4|(พิสูจน์/จงพิสูจน์)(ทฤษฎีบทของสโตกส์/ว่าจำนวนเฉพาะมีอนันต์)อย่างเคร่งครัด
`;

export interface LanguageTemplate {
  readonly domain: string;
  readonly level: Level;
  readonly text: string;
}

export const LANGUAGE_TEMPLATES: readonly LanguageTemplate[] = LINES.trim()
  .split("\n")
  .map((line) => {
    const [, domain = "", level = "", text = ""] = line.split("|");
    return { domain, level: readLevel(level), text };
  });

function readLevel(text: string): Level {
  const level = Number(text);
  if (level === 0 || level === 1 || level === 2 || level === 3 || level === 4) return level;
  throw new Error(`${text} is no level.`);
}

/** The request with a phrase drawn for each pair of brackets around several phrases. A single one, as in `f(x)`, stays. */
export function fillBrackets(text: string, draw: (phrases: readonly string[]) => string): string {
  return text.replace(/\(((?:[^()]|\([^()/]*\))*\/(?:[^()]|\([^()/]*\))*)\)/g, (_, phrases: string) =>
    draw(phrases.split("/")),
  );
}
