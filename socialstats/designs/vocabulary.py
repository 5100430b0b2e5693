"""What columns are called, by the part that they play: the one list of the field's words.

`names` are whole names that a reader takes without being told, in order of preference. `words` occur within longer
names and only hint at a part. Structure decides first (`designs/roles.py`). English comes first, then German, Spanish,
French and Chinese heads, and some Portuguese, Italian and Dutch ones. Words carry no accents: names lose theirs before
they are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from socialstats.designs.aliases import Levels, Pair


def bare(name: str) -> str:
    """Return a column name without case, white space and punctuation.

    Examples
    --------
    >>> bare("N_obs"), bare(" Freq. ")
    ('nobs', 'freq')
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def spelled(words: str) -> Levels:
    """Return the words of a text."""
    return tuple(words.split())


def word_couples(words: str) -> tuple[Pair, ...]:
    """Return the couples of words of a text, between commas."""
    return tuple((one, other) for one, other in map(str.split, words.split(",")))


def phrases(text: str) -> tuple[Levels, ...]:
    """Return the phrases of each line, between commas."""
    return tuple(tuple(map(str.strip, line.split(","))) for line in text.strip().splitlines())


def every_word(kinds: Iterable[Iterable[str]]) -> set[str]:
    """Return the words of some parts or lists; a text is one word.

    Examples
    --------
    >>> sorted(every_word([("id", "nr"), "pid"]))
    ['id', 'nr', 'pid']
    """
    return {word for kind in kinds for word in ((kind,) if isinstance(kind, str) else kind)}


def without_accents(name: str) -> str:
    """Return a name without accents.

    Examples
    --------
    >>> without_accents("Wiederholung für Modèle")
    'Wiederholung fur Modele'
    """
    if name.isascii():
        return name
    return "".join(
        letter
        for letter in unicodedata.normalize("NFKD", name)
        if not unicodedata.combining(letter)
    )


@dataclass(frozen=True, slots=True)
class PartVocabulary:
    """The names and the words of one part; its words are what it holds."""

    names: Levels = ()
    words: Levels = ()

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)


UNITS = PartVocabulary(
    names=spelled(
        "unit unit_id item item_id question question_id prompt_id story story_id sample sample_id subject subject_id "
        "participant participant_id student person respondent task task_id problem problem_id text_id doc_id pair "
        "pair_id id doc example example_id instance instance_id case_id qid"
    ),
    words=spelled(
        "unit item id question subject subj sj sbj participant person student patient case story sample plot plant "
        "product produit object essay text image img photo stimulus "
        "stim stimuli couple worker scenario trial specimen compound task prompt "
        "respondent idstud ss pair twin block litter household dyad family fruit animal mouse wine bottle video post "
        "hitid pid paper qid doc document passage instance example problem vignette dilemma statement claim sentence "
        "query dilema dilemme dilemas situation situacion situazione scenari "
        "consigne frage aufgabe proband versuchsperson vp pregunta tarea sujeto elemento participante tache "
        "scene escena szene cena sujet ppt histoire historia geschichte anfrage bild imagen texte texto satz frase "
        "vignetten szenario escenario poem poeme gedicht poema pergunta questao caso domanda vraag zin tekst stimolo "
        "utterance enonce ausserung enunciado enunciato request anfrage comment claim afirmacion affirmation "
        "题目 问题 项目 样本 任务 题号 用户 設問 問題 課題 質問 発話 文章 場面 "
        "被试 参与者 受试者"
    ),
)
# columns that count rows
FREQUENCIES = frozenset(
    spelled("count counts cnt n freq freqs frequency frequencies wtn nobs times cases ncases size")
)
# columns of a table of people that name them
NAMES_OF_PEOPLE = spelled(
    "name nom nombre nome naam imie osoba uczestnik uczestniczka badany badana 姓名 名前"
)
# units who may rate as well
PERSONS = spelled(
    "stud pupil schuler schulerin eleve recruiter employer teacher customer client juror voter eleitor wahler "
    "subject subj sj pid participant person student respondent sujeto participante sujet proband interrogator "
    "versuchsperson vp encuestado inquirido aluno eleve partecipante soggetto "
    "deelnemer proefpersoon ppn informant befragte befragter teilnehmer teilnehmerin teilnehmende studienteilnehmer "
    "repondant repondante rispondente intervistato intervistata entrevistado entrevistada encuestada inquirida "
    "被试 参与者 受试者 受访者 回答者 参加者 被験者 対象者"
)
# units of pairs, raters of ratings
PEOPLE_AS_RATERS = spelled("participant participant_id person respondent")
# things that are shown: they answer nothing
STIMULI = spelled(
    "hitid assignmentid textid stim stimuli stimulus item question prompt scenario vignette task trial image clip "
    "story dilemma"
)
# units that somebody rates: columns beside them are raters rather than models
MET_WORDS = spelled(
    "answer reply response output completion generation essay summary translation antwort respuesta reponse resposta"
)
# or clusters
LIKELY_UNITS = spelled("scenario scenario_id vignette dilemma situation statement case text post")
RATERS = PartVocabulary(
    names=spelled(
        "rater rater_id judge judge_id annotator annotator_id coder grader labeler evaluator reviewer expert worker "
        "worker_id participant participant_id respondent person model"
    ),
    words=spelled(
        "rater judge juge coder annotator assessor panelist panellist observer obs expert grader evaluator reviewer "
        "examiner doctor physician radiologist neurologist pathologist surgeon abstractor reader scorer consumer "
        "taster voter user username usuario utilisateur benutzer worker "
        "psych psychologist psychiatrist clinician therapist nurse dentist "
        "interviewer referee critic labeler labeller editor auditor beurteiler bewerter gutachter juez evaluador "
        "anotador evaluateur annotateur lecteur lector leser giudice valutatore annotatore juiz avaliador beoordelaar "
        "bearbeiter informant annotatrice codeur codeuse correcteur correctrice evaluatrice valutatrice evaluadora "
        "completedby annotatedby ratedby judgedby labeledby codedby gradedby "
        "anotadora avaliadora kodierer kodiererin bewerterin beurteilerin korrektor assessor moderator "
        "人工 评分者 评委 标注者 标注员 評価者 評定者 採点者 審査員"
    ),
)
TASK = "task"  # the stratum of units that a leaderboard averages over
# what the column of the models may be called in a table of their own
MODEL_NAMES = ("model", "source", "rater", "name")
MODELS = PartVocabulary(
    names=spelled("model model_name model_id llm system rater"),
    words=spelled(
        "model llm system sys engine algorithm classifier solver checkpoint workflow wflow learner pipeline modell "
        "modelo modele systeme sistema agent policy retriever deployment generator summarizer candidate chatbot bot "
        "assistant provider modello helper 模型 助手 モデル"
    ),
)
# last words of names of kinds
KINDS_OF = spelled("type kind typ tipo")
# not the answer itself
OF_ANSWERS = spelled(
    "source type kind origin author from by writer condition group order mode format style length user users annotator "
    "rater judge"
)
# not the model itself
OF_MODELS = spelled("prompt prompts message persona temperature version type family size role")
# a model called so scores others, and is not what is compared
GRADERS = spelled(
    "rater judge grader evaluator annotator scorer assessor critic reviewer juez juge richter gutachter bewerter "
    "evaluador avaliador evaluateur 评委 评审 评审员 评分者"
)
# levels that a table compares; no sample grows by more of them
FIXED = (
    *MODELS.names,
    *MODELS.words,
)
# whose models they are
PROVIDERS = spelled("provider vendor company organization lab anbieter proveedor fournisseur")
TASKS = PartVocabulary(
    names=spelled("task task_name task_id benchmark dataset subset category"),
    words=spelled(
        "task benchmark dataset data problem subset instance suite subject_area domain topic category"
    ),
)
CONDITIONS = PartVocabulary(
    names=spelled("condition arm treatment phase time group version variant model prompt setting"),
    words=spelled(
        "intervention condition cond time phase treatment treat trt arm group period session visit stage wave method "
        "meth type version drug dose day week month year hour when eye hand prompt model machine metric setting site "
        "location formulation framing frame wording variant persona tone manipulation "
        "bedingung gruppe zeitpunkt condicion grupo momento "
        "etape etapa fase groupe bucket training momento moment zeit condizione gruppo conditie "
        "groep congruency congruence compatibility flanker prime mode modus modality modalidad modalita modalite "
        "modalidade allocation 条件 组 时点"
    ),
)
# what was done to a unit
TREATMENTS = spelled(
    "condition cond treatment treat trt arm drug intervention group variant version bucket manipulation framing frame "
    "tone strategy strategie estrategia tactic technique bedingung gruppe versuchsgruppe "
    "programme program programm programa fassung variante ausfuhrung tratamiento condicion grupo traitement groupe "
    "version versao versione persona "
    "modalidad modalidade modalita "
    "allocation allotment 组别 组 条件 版本"
)
# when a unit met a condition, which is balanced rather than asked about
PERIODS = spelled(
    "period session order position slot sequence block round half periodo sitzung periode reihenfolge orden "
    "ordre ordem"
)
# what a mapping says for repeat=True
UNNUMBERED = "true"
# when the same persons were asked again, which is what a table of several compares
OCCASIONS = spelled(
    "wave visit welle erhebungswelle besuch vague visite oleada ola visita onda ondata golf meetmoment 波次"
)
# labels of a group that nothing was done to
CONTROLS = spelled(
    "control controls ctrl placebo waitlist waiting wait kontrolle kontrollgruppe warteliste controle temoin "
    "testigo 对照 对照组"
)
# what a change is compared with
BASELINES = spelled("baseline base default vanilla original plain none neutral")
VALUES = PartVocabulary(
    names=spelled("value score correct answer response rating outcome result y label action"),
    words=spelled(
        "value score rating response y answer outcome refusal refused refuses complied acertou acertos acerto "
        "abgelehnt verweigert rechazo rechazado recusou refus "
        "result evaluation performance effort correct measurement reading "
        "label etichetta accuracy acc action decision verdict choice grade "
        "category reply stance code mark points wert bewertung "
        "antwort punkte richtig rotulo etiqueta opcion elegida elegido gegeben given puntuacion puntaje valor "
        "respuesta correcto "
        "note valeur reponse exactmatch em f1 pass1 "
        "hit hits tag penalty passed solved resolved success win winrate toxicity reward bleu rouge rougel chrf "
        "bertscore rt rts "
        "reactiontime responsetime helpfulness helpful harmlessness honesty fluency coherence relevance faithfulness "
        "quality correctness empathy politeness agreement endorses endorsement likert eleccion decision wahl "
        "entscheidung choix reaktionszeit voto punteggio risposta giudizio resposta nota pontuacao oordeel waardering "
        "antwoord 反应 回答 评分 得分 分数 正确 反应时 評価"
    ),
)
# what a reader of ratings prefers
RATING_FIRST = spelled("value rating score label")
# what boards of models have besides values
SCORE_NAMES = spelled("accuracy acc exact_match is_correct passed pass mean")
# a score beside the answer that it was given for
RIGHT = spelled(
    "hit correct acc accuracy success passed em exactmatch acertou acerto richtig correcto"
)
REPEATS = PartVocabulary(
    names=spelled(
        "repeat repetition replicate rep epoch run sample_no sample_idx sample_index trial attempt seed iteration "
        "iter draw completion generation rollout pass_no try k"
    ),
    words=spelled(
        "rep repl replicate replication repeat repetition session run epoch trial occasion seed fold iteration iter "
        "draw completion generation rollout attempt try resample round turn take roll regen regeneration "
        "versuch anlauf ziehung tentativa tentative intento "
        "rnd runde ronda durchgang wiederholung lauf repeticion "
        "corrida essai repetition passage_no tirage 重复 次数 轮次 第几次 试次"
    ),
)
# wordings of one item: no units
VARIANTS = spelled(
    "template perturbation paraphrase phrasing rephrasing rewording "
    "wording formulation vorlage formulierung plantilla "
    "redaccion"
)
MEASURES = spelled("metric metrics metricname measure")
# beside a value  # whose labels are numbers of different kinds
KEYS = spelled("name key variable criterion dimension aspect scorename kriterium criterio critere")
# labels of repeats
ORDINALS = spelled(
    "first second third fourth fifth erste zweite dritte erster zweiter dritter primera segunda tercera primero "
    "segundo tercero premier premiere deuxieme troisieme initial repeat again morning evening"
)
# several give several scores of one answer
SCORERS = spelled("scorer filter metric judge annotator grader")
# made of other columns
SUMMARIES = spelled("majority consensus gold adjudicated average avg rank overall")
BOARD_SUMMARIES = spelled("average avg mean overall total rank score")
# words of columns that are made of scores
NO_SCORES = spelled("mean average overall rank")
DATES = spelled(
    "weekday wochentag date year month week day hour datum jahr monat woche fecha ano mes semana annee mois semaine "
    "日期 年份 月份"
)
# when something was answered, or how long it took: a value only where nothing else is one
TIMINGS = spelled(
    "seconds secs duration latency latencys latencyms elapsed timestamp tstamp leadtime worktime createdat updatedat "
    "submittime accepttime runtime durationms durations startdate enddate recordeddate submitted submitdate sekunden "
    "secondi seconden durata duur "
    "dauer bearbeitungszeit antwortzeit laufzeit lesezeit wartezeit zeitstempel duracion segundos marcatemporal duree "
    "secondes horodatage horodateur 时长 耗时 "
    "时间戳"
)
# what was pressed: it was no condition
RESPONSES = spelled("resp respkey keypress button pressed clicked key")
# times that are answers
REACTIONS = spelled("rt rts reaction reactiontime responsetime reaktionszeit 反应时")
# what an answer took
COSTS = spelled(
    "cost price usd eur gbp mtok mtoken mtokens ktok tokens token ntokens tokencount maxtokens tok revenue preis "
    "kosten umsatz precio coste "
    "costo custo custos preco costi costo prezzo prix cout 价格 费用 成本"
)
# what a person in a text is like, where each text was met with each
CUES = spelled(
    "race gender ethnicity sex cue pronoun pronouns name identity religion nationality geschlecht herkunft herkomst "
    "genero sexo genre"
)
# how many others a row stands for
WEIGHTS = spelled(
    "weight weights wt wts wgt weighting surveyweight gewicht gewichtung peso pesos poids ponderacion 权重"
)
CONFIDENCE = spelled(
    "conf logp logprob logprobs loglik loglikelihood "
    "confidence confident certainty sureness confianca konfidenz sicherheit certitude certeza sicurezza seguridad "
    "seguranca zekerheid 信心 确信度"
)
# last words of names of free texts
PROSE = spelled(
    "raw reply comment comments text output prompt rationale reason reasons explanation justification justificacion "
    "note notes content message begrundung kommentar commentaire comentario comentarios justificacao justification 备注"
)
# labels of replies that could not be read, and of questions without an answer
FAILURES = spelled(
    "error errors errored exception timeout timedout parseerror parsingerror parsefailed unparsed unparseable "
    "unparsable invalid malformed apierror ka keineangabe ignore ignored skip skipped discarded"
)
# letters of a label on average, from which it is a text rather than a name
LONG_LABEL = 25
# beside the answers of a questionnaire
EXPORTED = spelled(
    "finished progress page pagina seite lastpage userlanguage distributionchannel startlanguage attention attn "
    "attentioncheck consent"
)
# answers taken back
CANCELLED = spelled("cancelled canceled wascancelled discarded annulliert cancelado annule")
# what became of a reply
STATES = spelled("parse parsed parser finishreason stopreason cached")
# labels of rows of an experiment that ask for no answer
NO_TRIALS = spelled(
    "instruction instructions preload fixation consent practice practise warmup welcome debrief debriefing fullscreen "
    "intro introduction survey demographics end"
)
# how it was asked for, its size
CALLS = spelled(
    "characters chars length len requests calls words wordcount nwords sentences lines paragraphs temperature topp "
    "bytes params ctx contextlength contextwindow "
    "context steps turns laenge lange worter worte zeichen palabras caracteres longitud mots longueur 字数 长度"
)
IDENTITIES = spelled(
    "id ids uid uuid guid hash md5 sha sha1 zip zipcode phone isbn 编号 序号 学号 工号"
)
# last words of names that number something
NUMBERINGS = spelled("no nr num number idx index id key nummer numero")
# what persons and places are like
COVARIATES = spelled(
    "age sex gender education educ income yearsold marital ethnicity race latitude longitude lat lon lng bmi alter "
    "geschlecht edad sexo sexe 年龄 性别"
)
# several readings of one case
READINGS = spelled("read reading reads lesung lecture lectura")
SCORES = spelled("score point points goal rating pts")
VERDICTS = spelled("verdict judgment judgement urteil veredicto jugement 判断")
CLUSTERS = PartVocabulary(
    words=spelled(
        "scenario story topic domain template cluster group worker participant subject annotator passage document "
        "dialogue conversation persona site school household chapter kapitel chapitre capitulo capitolo thread fil "
        "klasse classe aula classroom schule"
    )
)
CLUSTER_NAME = re.compile(
    rf"(?:^|_)(?:{'|'.join(CLUSTERS.words)})s?(?:_?(?:id|nr|no|name|number))?$", re.IGNORECASE
)
# columns that tell two orders of one question apart
ORDER_NAME = re.compile(
    r"(?:^|[_. ])(?:order|position|pos|run|swap(?:ped)?|flip(?:ped)?|reversed?|permutation|ordering|presentation)"
    r"(?:[_. ]?(?:id|nr|no|number))?$",
    re.IGNORECASE,
)
# what is put to a model once: two rows that agree here and in all else may be one
STORY_NAME = re.compile(
    r"^(?:(?:scenario|story|vignette|dilemma|situation|case|dialogue|conversation|question|sample|trial)s?"
    r"(?:_?(?:id|nr|no|number))?|id|uuid|row_?id|row)$",
    re.IGNORECASE,
)
ROW_NAMES = ("", "rownames", "rowname", "unnamed0", "index", "idx", "rowid", "rowno")
# what came first, and what came later
LATER = word_couples(
    "pre post, before after, baseline followup, control treatment, old new, initial final, start end, fall spring, "
    "admission discharge, test retest, pra post, vorher nachher, prae post, vortest nachtest, antes despues, "
    "avant apres, prima dopo, antes depois, t0 t1, t1 t2, 前 后, 前测 后测, 之前 之后, base tuned, entry exit"
)
# what was measured before anything was done
EARLIER = spelled(
    "prior pre baseline before initial t0 pretest vorher vortest antes previo avant prima iniziale 前 前测"
)
# measures that are better where they are low
LOWER = spelled(
    "penalty error errors mistake mistakes loss toxicity harm harmfulness violation violations wer cer ter perplexity "
    "distance minor major critical schulnote fehler errores erreurs"
)
# what a log of training holds
LOSSES = spelled("loss lr gradnorm learningrate perplexity")
STEPS = spelled("step steps globalstep epoch iteration iter")
# fixed tasks, each of the same weight
BENCHMARKS = spelled("task subtask benchmark dataset suite subset")
# exams, within which questions are numbered
SUBJECTS = spelled("subject fach materia asignatura matiere 科目")
# beside a mean
SPREADS = (
    "sd",
    *spelled("std stdev stderr sem se variance stddev standardabweichung 标准差"),
)
# ends of an interval
BOUNDS = word_couples("low high, lower upper, lo hi, lwr upr, min max, lcl ucl, unten oben")
# the further ones only where their numbers have no gap
ROW_NUMBERS = (
    *ROW_NAMES,
    "x",
    "row",
    "nr",
    "no",
    "obs",
)
# counts of losses
LOST = spelled("loses lose losses loss lost nlosses defeat defeats l")
# counts of wins
PREFERRED = spelled("wins win won nwins prefer prefers preferred pref votes chose chosen")
# further counts of ties
UNDECIDED = spelled("nopreference nopref neither undecided indifferent noopinion same")
# what was chosen
PICKED = spelled("response button choice chosen selected selection pressed clicked picked pick")
# who acts need not win
ACTORS = spelled("initiator cited top")
# how it ended
SUCCESS = spelled("success successful status end ending")
# when two met, not who won
ROUNDS = spelled("round game set period season half leg turn match stage inning block")
# results of the whole contest
FINAL = spelled("match final overall game ftr fulltime")
# numbers of players before they met: neither items nor scores
RATED_AS = spelled("elo rating ranking seed")
# what stands beside a strength that was estimated
BATTLES = spelled("votes battles games ci interval")
# how much better one of two was
MARGINS = spelled("margin rating")
# values that name units as often
WEAK_VALUES = spelled("category label code")
# what one person says of a unit
SCALED = spelled("rating response score liking preference")
# three of them measure one quantity as raters do
METHODS = spelled("method meth machine instrument device")
REFERENCES = spelled(
    "obs observed truth true gold actual reference target label groundtruth expected human goldlabel correctlabel "
    "goldstandard standard"
)
# right answers
GOLD = spelled("gold goldlabel target groundtruth expected reference correctlabel")
# what is compared with a reference
PREDICTIONS = spelled(
    "pred preds predicted prediction model output estimated classified modellabel llm gpt assigned system yhat auto "
    "automatic classifier"
)
LABELLINGS = spelled("label labels annotation diagnosis coding code codes grade category")
JUDGEMENTS = spelled(
    "rating rated rate grade graded diagnosis label labels annotation code coded coding judgment judgement assessment "
    "opinion score mark"
)
# who may have judged the same
JUDGE_COUPLES = word_couples(
    "husband wife, mother father, self other, self peer, parent teacher, his her, expert novice, human model, expert "
    "crowd, human gpt, human llm, 1 2, one two, a b, first second, teacher student, primary secondary"
)
RATER_COUNTS = spelled(
    "nraters raters nratings ratings njudges votes nvotes annotators nannotators"
)
# beside a column of keys
KEY_VALUES = spelled("value score wert valor valeur")
# rules by which one answer is scored
SCORING = spelled("scorer filter")
MEANS = spelled("m mean average avg accuracy score rate media moyenne mittelwert 平均")
# columns of a list of variables: the name, what it means, how it is coded
CODEBOOKS = (
    spelled("variable var field varname column feature item"),
    spelled("label description meaning wording question valuelabel valuelabels"),
    spelled(
        "type values valuelabel valuelabels codes coding missing missingcode range format unit"
    ),
)
DRAWN = spelled(
    "draw drawn draws tie tied ties remis unentschieden empate empatado nul egalite 平局"
)
# places that people are in, of which a study may have one for each group
SITES = spelled(
    "school site hospital ward clinic centre center lab campus district schule standort klinik escuela colegio ecole "
    "scuola escola sede centro"
)
# number of answers behind a mean
SIZES = spelled("n samples nsamples count size votes")
INTERVALS = spelled("ci cl conf interval ki")
ARENA = spelled("elo arena bradleyterry bt")
# averages that no task of shares has
UNSHARED_SCALES = spelled("elo ppl perplexity perplexities bpb bitsperbyte")
# what a table is likely to be analysed by
PROMPTED = spelled("prompt persona")
# columns that say whether people or models rated
SOURCES = spelled("source rater_source rater_type rater_kind quelle fuente fonte origin pool")
# kinds of units, which one rather reports by than clusters on
KINDS = spelled("domain topic group")
# a condition as often as a rater
VAGUE = spelled("group model worker worker_id participant participant_id")

# What labels say.
YES = spelled(
    "yes y true t 1 c pos positive + present success "
    "pass passed correct right ja oui si approve accept accepted agree "
    "good better high ok okay valid"
)
# outcomes of a condition, no judgements
RIGHT_WRONG = spelled(
    "correct incorrect wrong right pass fail passed failed solved unsolved success failure"
)
# in brackets before a text
VERDICT_MARKS = spelled(
    "pass passed fail failed error correct incorrect right wrong true false yes no win lose"
)
REFUSED = phrases("refusal, refused, refuse, declined, no answer, cannot answer, can't say")[0]
LEVEL_ORDERS = phrases("""
very low, low, medium, high, very high
none, mild, moderate, severe
never, rarely, sometimes, often, always
very bad, bad, ok, good, very good
very poor, poor, fair, good, excellent
not at all, slightly, moderately, very, extremely
not at all, a little, somewhat, quite, very much
unsatisfactory, satisfactory, good, very good, excellent
false, mostly false, half true, mostly true, true
trifft gar nicht zu, trifft überhaupt nicht zu, trifft nicht zu, trifft eher nicht zu, teils teils, teils/teils, \
weder noch, trifft eher zu, trifft zu, trifft voll zu, trifft voll und ganz zu
stimme gar nicht zu, stimme überhaupt nicht zu, lehne ab, stimme nicht zu, stimme eher nicht zu, teils teils, \
teils/teils, weder noch, neutral, stimme eher zu, stimme zu, stimme voll zu, stimme voll und ganz zu
sehr niedrig, niedrig, mittel, hoch, sehr hoch
gering, mittel, hoch
muy bajo, bajo, medio, alto, muy alto
muy baja, baja, media, alta, muy alta
très faible, faible, moyen, élevé, très élevé
低, 中, 高
sehr schlecht, schlecht, mittel, mittelmäßig, gut, sehr gut
nie, selten, manchmal, oft, immer
sehr unzufrieden, unzufrieden, neutral, zufrieden, sehr zufrieden
totalmente en desacuerdo, muy en desacuerdo, en desacuerdo, neutral, ni de acuerdo ni en desacuerdo, de acuerdo, \
muy de acuerdo, totalmente de acuerdo
nunca, rara vez, a veces, a menudo, casi siempre, siempre
muy malo, malo, regular, bueno, muy bueno, excelente
muy insatisfecho, insatisfecho, neutral, satisfecho, muy satisfecho
pas du tout d'accord, plutôt pas d'accord, pas d'accord, neutre, ni d'accord ni pas d'accord, plutôt d'accord, \
d'accord, tout à fait d'accord
jamais, rarement, parfois, souvent, toujours
très mauvais, mauvais, moyen, bon, très bon
非常不同意, 不同意, 中立, 一般, 同意, 非常同意
从不, 很少, 有时, 经常, 总是
很差, 差, 一般, 好, 很好
not relevant, slightly relevant, somewhat relevant, relevant, highly relevant
poor, weak, fair, good, strong, excellent
never, yearly, monthly, weekly, daily
""")
# how strongly a word of a level is meant
DEGREES = {
    word: degree
    for degree, words in {
        1: ("slightly", "somewhat", "rather", "a little", "partly", "mildly"),
        2: ("moderately", "mostly"),
        3: ("",),
        4: ("very", "strongly", "highly", "definitely"),
        5: ("completely", "totally", "extremely", "fully"),
    }.items()
    for word in words
}
MIDDLE = phrases(
    "neutral, undecided, unsure, neither, neither agree nor disagree, no opinion, mixed, equal, ok, about the same, "
    "the same, indifferent"
)[0]
# starts of words that say the opposite
NOT = ("un", "dis", "in", "im", "not ", "il", "ir")
AGAINST = word_couples(
    "bad good, poor good, negative positive, worse better, wrong right, false true, no yes, low high, weak strong, "
    "never always, rarely often, oppose support, reject accept, easy difficult"
)

# What the labels of winners say.
# words around the one that names a side: 'home team win', 'Response A is better'
AROUND = frozenset(
    (
        *spelled(
            "a the is was by of for than much far lot bit slightly clearly strongly somewhat significantly minimal"
        ),
        *spelled(
            "better best stronger win wins won winner victory prefer prefers preferred preference choose chose chosen "
            "picked selected"
        ),
        *spelled(
            "team player side model system assistant response answer output option candidate text summary image item "
            "version"
        ),
        *spelled(
            "etwas deutlich viel leicht klar eher besser ist ein wenig weit wesentlich antwort modell"
        ),
        *spelled("mucho algo poco un mejor es bastante ligeramente claramente respuesta modelo"),
        *spelled(
            "beaucoup peu mieux meilleur meilleure est bien plutot nettement legerement reponse modele"
        ),
    )
)
TIE_WORDS = frozenset(
    spelled(
        "tie ties tied draw drawn both bothbad neither equal equally same even undecided nopreference indifferent "
        "similar unentschieden gleichstand remis gleich gleichwertig empate igual iguales egalite egal pareil 平局 平"
    )
)
BEGIN_TIES = frozenset(
    spelled("tie tied ties draw drawn unentschieden gleichstand empate egalite 平局")
)
"""First words of labels that are ties without being declared."""
ACTIONS: Mapping[str, tuple[str, ...]] = {
    "comply": ("comply", "complies", "complying", "遵守", "従う", "従います", "順守"),
    "deviate": ("deviate", "deviates", "deviating", "逸脱", "従わない", "従いません"),
    "escalate": ("escalate", "escalates", "escalating", "エスカレート", "エスカレーション", "上申"),
}
"""What a model does where a norm stands in the way of a goal, as replies and columns spell it."""
