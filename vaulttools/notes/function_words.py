"""Lists function words of common languages: they identify a language, not a subject."""

from __future__ import annotations

from typing import Final

# Function words and the words of questions, chosen by hand: the long published lists (ISO) hold words that notes are
# about, such as `computer` or `help`.
_LISTS: Final = {
    "en": (
        "a about am an and any are as at be been being but by can cannot could did do does doing done for"
        " from had has have having he her him his how i if in into is it its let may me might must my no not"
        " of on or our per shall she should so some such than that the their them then there these they this those"
        " to us was we were what when where which while who whom whose why will with would you your isn aren"
        " don doesn didn wasn weren won wouldn couldn shouldn ll ve re s t d m"
    ),
    "de": (
        "aber als am an auch auf aus bei beim bin bis da damit dann das dass dem den der des die dies diese"
        " diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es etwas für habe haben"
        " hat ich ihr im in ist ja kann kein keine können man mein meine meinen mich mir mit muss nach nicht"
        " noch nur ob oder ohne sein seine sich sie sind so soll um und uns unser vom von vor war warum was"
        " wegen welche welchem welchen welcher welches wenn wer werden wie wieso wir wird wo woher wohin wurde"
        " zu zum zur über"
    ),
    "fr": (
        "à ai au aux avec ce ces cet cette ceci cela comme comment dans de des du elle elles en entre est et"
        " être eu fait faire faut il ils je la le les leur leurs lequel laquelle lui ma mais me mes mon ne nos"
        " notre nous on ou où par pas peut peux plus pour pourquoi qu quand que quel quelle quelles quels qui"
        " quoi sa sans se ses si son sont sur ta te tes toi ton tu un une vos votre vous y c d j l m n s t"
    ),
    "es": (
        "a al algo ante como cómo con cuál cuáles cuando cuándo de del desde donde dónde el él ella ellos en"
        " entre es esa ese eso esta está estas este esto estos fue ha hace hacer han hay la las le les lo los"
        " me mi mis más muy ni no nos o para pero por porque puede puedo que qué quien quién se sea ser si sí"
        " sin sobre son su sus también tan tiene tu tus un una unas uno unos y ya yo"
    ),
    "pt": (
        "a à ao aos as com como da das de do dos e é ela ele em entre era essa esse esta está este eu foi há"
        " isso isto já mais mas me meu meus minha minhas muito na não nas no nos num numa o os ou onde para"
        " pela pelo por porque posso pode quais qual quando que quem se sem ser seu seus só sua suas são"
        " também tem um uma umas uns você"
    ),
    "it": (
        "a ad ai al alla alle anche che chi ci come con cosa da dal dalla dalle dei del della delle di dove e"
        " è ed essere gli ha ho i il in io la le lo loro ma mi mia mie mio nei nel nella non o per perché più"
        " può quale quali quando quello questa questo se sei si sono su sua sul sulla suo tra un una uno vi"
    ),
    "nl": (
        "aan als bij dan dat de der deze die dit door een en er gaat geen haar had heb hebben heeft het hij"
        " hoe hun ik in is je kan kun kunnen maar me met mijn moet na naar niet nog of om onze ook op over te"
        " tot uit van voor waar waarom wanneer was wat we welk welke wel werd wie wordt ze zich zijn zo"
    ),
    "sv": (
        "alla att av blev bli blir de den denna det detta din du där efter ej eller en er ett från för ha han"
        " har hon hur här i inte jag kan man med men mig min mitt mot nu när och om oss på sedan sig sin ska"
        " som så till under upp ut vad var varför vem vi vid vilken vilka är"
    ),
    "da": (
        "af at blev da de dem den der deres det dette dig din du ei eller en er et for fra ha han har hun hva"
        " hvad hvem hver hvilken hvilke hvis hvor hvordan hvorfor i ikke jeg kan man med meg men mig min mit"
        " når og også om os oss på seg sig skal som så til ud ut var ved vi vil være å"
    ),
    "pl": (
        "a aby ale bez być co czy dla do gdy gdzie go i ich ile jak jaka jaki jakie jako jest jestem już"
        " kiedy kto która które który ma mam mi mnie mogę moja moje mój można na nad nie niż o od oraz po pod"
        " przez przy się są ta tak tam te tego tej ten to tu ty w we z za ze że żeby"
    ),
    "ru": (
        "а без бы был была были было быть в вам вас во вот все вы где да для до его ее если есть еще же за и"
        " из или им их к как какая какие какой когда кто ли мне мой мои моя мы на над не нет ни но ну о об он"
        " она они от по под почему при про с со так также там то только тут ты у уже чего чем что чтобы эта"
        " эти это этот я"
    ),
    "uk": (
        "а або але без бо був була були в від він вона вони все де для до його за з зі і із її їх й коли куди"
        " ми мій моя на не ні про та так такий там ти то у хто це цей чи чому що щоб як яка яке який які я"
    ),
    "tr": (
        "ama bana ben bir biz bu çok da daha de değil diye en gibi hangi her hiç için ile ise kadar ki kim mi"
        " mı mu mü nasıl ne neden nerede niçin o olan olarak oldu onu sen şu ve veya ya"
    ),
    "ca": (
        "a aquest aquesta aquests al als amb com de del dels el els en es és hi i ja la les més no o on per però podeu"
        " pot podem quan que què qui si seva seu són també teu teva un una us vostra vostre"
    ),
    "cs": (
        "a aby ale ani až bez bude by byl byla bylo co do je jeho jejich jen jak jako její jsem jsou k kde"
        " kdy když kterou která které který ke má mám mi můj můžete na nebo není o od po pod pokud pro proti"
        " při protože s se si tak také tato ten tento to tu u v ve více vám váš vaše z za ze že"
    ),
    "sk": (
        "a aby ako ale alebo až bez bude by bol bola bolo čo do ich iba ja je jeho k ktorá ktoré ktorý keď"
        " kde ku má mám môže môžete môj na nie o od po pod pre pri s sa si so sú tak tento to tu u v vo vám"
        " váš vaše z za zo že"
    ),
    "hu": (
        "a az és egy ez hogy nem is ha vagy de csak meg van volt lehet kell mint már még azt ezt ami amely"
        " hol hogyan mi miért mikor milyen ki be el aki után előtt között alatt szerint én ön nincs"
    ),
    "fi": (
        "ja on ei se että tai kun jos niin kuin mutta myös ovat oli voi voit tämä tämän nämä sen sitä joka"
        " jotka mitä mikä miten missä miksi milloin vain ole olla sekä kanssa minun sinun"
        " ne he me te myös vielä jo sitten voidaan voivat jossa josta johon tätä tässä siihen mukaan"
    ),
    "ro": (
        "și în de la cu pe pentru din care este sunt o un să nu se mai ce cum unde când cine prin sau dar al"
        " ale lui ei a au ai am fi fost poate puteți dacă cea cel meu mea"
    ),
    "id": (
        "yang dan di ke dari untuk dengan pada ini itu atau adalah tidak akan dapat bisa anda saya kami juga"
        " dalam oleh sebagai jika apa bagaimana mengapa mana kapan siapa ada sudah lebih telah agar"
    ),
    "vi": (
        "và của là các có được cho trong với không này một những để khi từ bạn như trên đến hoặc nếu thì bằng"
        " vào ra làm thế nào gì tôi"
    ),
}

FUNCTION_WORDS: Final = {language: frozenset(words.split()) for language, words in _LISTS.items()}
"""By language (ISO 639-1; `da` covers Norwegian, too), in lower case."""

_ASKING: Final = {
    "de": (
        "bist darf darfst dein deine deinem deinen deiner dich dir du durfte durften dürfen dürft gab gibt"
        " gibts hast hatte hatten hätte hätten ihm ihn ihnen ihre ihrem ihren ihrer kannst konnte konnten"
        " könnte könnten musst musste mussten müssen seid seine seinem seinen seiner seit sollen sollte"
        " sollten unsere unserem unseren unserer unseres viel viele wann waren wem wen wessen wieviel wieviele"
        " wird wollen wollte wollten worden wäre wären würde würden"
    ),
    "fr": (
        "a-t-elle a-t-il a-t-on ai-je avaient avait avez avez-vous avons avons-nous celle celles celui ceux"
        " chez combien depuis devons dois dois-je doit doit-on doivent est-ce est-elle est-il eut faut-il"
        " furent lors ont ont-ils peut-on puis-je sommes sont-elles sont-ils suis suis-je étaient étais était"
        " étions êtes"
    ),
    "es": (
        "cuánta cuántas cuánto cuántos debe debemos deben debo eran eres estaba estaban estamos estoy estuve"
        " estuvo están fueron fui había habían hasta he hemos hice hubo nuestra nuestras nuestro nuestros"
        " podemos pueden quiénes somos soy tenemos tengo tenía tenían tienen"
    ),
    "pt": (
        "até deve devem devemos devo estamos estava estavam estou estão foram fui nossa nossas nosso nossos"
        " podem podemos quanta quantas quanto quantos somos sou temos tenho tinha tinham têm"
    ),
    "it": (
        "abbiamo aveva avevano avevo cos dall deve devo devono dobbiamo erano ero hai hanno nostra nostre"
        " nostri nostro possiamo posso possono quanta quante quanti quanto siamo siete stata stati stato sull"
    ),
    "nl": (
        "hadden hem hoeveel jij jou jouw jullie konden mij mocht mochten mogen ons sinds waren wiens wij"
        " wilde wilden worden zou zouden zullen"
    ),
}
"""Further words of questions. They do not identify a note's language: many notes lack all of them."""

STOP_WORDS: Final = {
    language: words.union(_ASKING.get(language, "").split()) for language, words in FUNCTION_WORDS.items()
}
"""By language, the words of a question that are not searched for."""
