"""The words by which ``tools.py`` finds lists of tools, cuts them, and makes names of their members."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.strip().splitlines())


_THINGS = (
    r"(?:tools?|items?|materials?|resources?|supplies|objects?|equipment|things|options|ingredients|props|"
    r"instruments|belongings|toolkit|toolbox|kit|inventory|backpack|bag)"
)
_CONTAIN = r"(?:include|includes|included|are|is|consists? of|contains?|comprises?|hold|holds)"
_HERE = (
    r"(?:with you|with me|at your disposal|at hand|on hand|to hand|in hand|around you|nearby|available|"
    r"access to|only|just|the following|got|these|those|tools|items|materials|such as|left|"
    r"in your possession|on you|ammunition|availability|in stock|some random|are)"
)

# What a list of tools follows, the surest first.
CUES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b{_THINGS}\b[^.:,;]{{0,100}}?\b{_CONTAIN}(?: the following| only| just)*\s*:",
        rf"\b{_THINGS}\b[^.:;]{{0,60}}:",
        rf"\b(?:all|the only (?:{_THINGS})|what) (?:that )?(?:you|you've|you have|we have)\b[^.,;:]{{0,40}}?"
        r"\b(?:is|are)\b:?",
        rf"\b{_THINGS}\b[^.:;,]{{0,60}}?\b{_CONTAIN}\b",
        r"\b(?:at (?:your )?disposal|available to you|at hand|on hand|with you|around you|nearby)"
        r"(?: are| is| include)?:",
        r"\b(?:at (?:your )?disposal|available to you|at hand|on hand|with you|around you|nearby),? "
        r"(?:are|is|include|lies?|there are|there is)\b",
        r"\byou(?:'re| are| were|'ve been| have been)?(?: only| also| just)? "
        r"(?:given|equipped with|armed with|left with|provided with|limited to|carrying|find|found|brought|"
        rf"own|possess|carry|can use|could use|can find)(?: {_HERE})*\s*[:,]?",
        r"\byou(?:'ve| (?:do |also |only |just |still |currently |now |did |do, however, |"
        r"also, however, |happen to |should |will )*(?:have|had))"
        rf"(?! to\b| no\b| been\b| never\b| lost\b| run\b| decided\b)(?:,? {_HERE})*\s*[:,]?",
        r"\b(?:using|with)(?: only| just)?(?=\s(?:a|an|some|two|the|your)\b)",
    )
)
MORE = re.compile(r"\b(?:also|available to you|at your disposal|in addition|additionally)\b", re.I)

_DETERMINER = (
    r"(?:a few|a couple of|a number of|a lot of|lots of|plenty of|several|some|any|an|a|the|your|their|"
    r"his|her|its|one|two|three|four|five|six|seven|eight|nine|ten|twelve|dozens? of|another|multiple|many|"
    r"various|numerous|few|single|extra|only|just|both|these|those|this|own|\d+)"
)
DETERMINERS = re.compile(rf"^(?:{_DETERMINER}\s+)+", re.I)
AND = re.compile(
    r"\s+(?:and|as well as|along with|together with|plus|or)\s+(?:also\s+|finally\s+|lastly\s+)?"
    rf"(?={_DETERMINER}\s)",
    re.I,
)
LAST_AND = re.compile(r"\s+(?:and|as well as|along with|plus)\s+", re.I)

# "a roll of": what tells how much there is of a tool, not what it is.
MEASURES = re.compile(
    r"^(?:[\w'-]+\s+){0,3}?(?:pairs?|sets?|packs?|packets?|packages?|rolls?|pieces?|bits?|stacks?|bunch(?:es)?|piles?|lengths?|sheets?|"
    r"handfuls?|coils?|strips?|scraps?|couple|collection|assortment|supply|spools?|reels?|skeins?|balls?|amounts?|"
    r"dozen|number|series|deck|bundles?|loops?|selection|variety|array|ream|slices?|sticks?|bars?|tubes?|blocks?|"
    r"patch(?:es)?|lumps?|chunks?|pinch|quantity|type|kind|portion|clumps?|heaps?|wads?|sheaf|sheaves|batch(?:es)?|"
    r"stretch(?:es)?|strands?|fistfuls?|gallons?|lit(?:er|re)s?|met(?:er|re)s?|feet|foot|inch(?:es)?|pounds?|sizes?)"
    r"\s+of\s+(?:the\s+)?",
    re.I,
)

# What tells more of a tool, and ends its name; where nothing but adjectives stands before, it does not.
CLAUSES = re.compile(
    r"\s+(?:which|that|that's|that're|who|whose|where|when|while|with|without|but|although|though|however|except|"
    r"because|since|yet|is|are|was|were|has|have|had|cannot|can't|could|may|might|will|won't|isn't|aren't|doesn't|"
    r"don't|lacks?|lacking|missing|containing|holding|weighing|attached|lying|sitting|known|such|too|not|only|"
    r"nearly|almost|capable|unable|suitable|unsuitable|approximately|featuring|from|for|in|on|at|by|to|as|"
    r"available|due|near|inside|under|per|if|being|having|it's|they're|you|around|about|"
    r"can (?=be|only|not|hold|easily|barely|also|reach|still|no)|made (?=of|from|out|in|up)|full (?=of)|"
    r"filled (?=with|up|to)|covered (?=in|with)|used (?=for|to|as|in)|left (?=over|in|from|by)|"
    r"found (?=in|on)|measuring (?=\d|about|only|approx|just)|riddled (?=with)|outside|already|barely|"
    r"nearing|standing|designed|leaking|soaked|stuck|providing|showing|broken (?=into)|"
    r"shaped (?=like|as|into)|labell?ed (?=to|as|with)|"
    r"half (?=full|empty|filled)|like (?=a|an|the)|(?:\w+ (?:and|but) )?\w+ enough|the size|roughly|"
    r"of (?:(?!of )[\w-]+ (?:and )?){0,3}"
    r"(?:sizes?|lengths?|widths?|heights?|shapes?|thickness|quality|standards?|surface)(?=$|\s+(?:and|but|that|which|with)\b)|"
    r"\w{3,}(?:(?<!bed)(?<!seed)(?<!weed)(?<=ed)|awn|ilt|read)"
    r"(?=\s+(?:with|in|by|from|of|for|to|on|at|as|into|across|over|before|after|entirely|out)\b)|"
    r"among|despite|once|unless|moreover|somewhere|across|over|before|after|during|until|than|so|very|"
    r"running (?=low|out)|ranging|emitting|producing|housing|selling|including|insufficient|inadequate|"
    r"no (?=\w+er\b)|compatible|susceptible|replete|does|did)(?:\b|$)",
    re.I,
)
# What begins a part of a list that tells more of the tool before it.
ASIDE = re.compile(
    r"^(?:which|that|who|whose|where|when|while|with|without|but|although|though|however|except|because|since|yet|"
    r"is|are|was|has|have|had|cannot|can't|making|rendering|causing|leaving|meaning|unfortunately|sadly|so|thereby|"
    r"therefore|not|nor|too|approximately|about|roughly|from|for|in|on|at|by|to|as|its|it|they|due|if|being|having|"
    r"each|none|neither|all|especially|including|preventing|thus|hence|complete|"
    r"and (?:is|are|has|its|it|cannot|can't|doesn't|isn't|therefore|also has|was|not|very|too))\b",
    re.I,
)
JOINING = re.compile(
    r"^(?:and|or|plus|as well as|along with|also|finally|lastly|additionally)\s+"
    r"(?:also\s+|finally\s+|lastly\s+)?",
    re.I,
)
SKIPPED = re.compile(
    r"^(?:available(?= an? )|availability|at disposal|on hand|only|just|"
    r"also|and|or|possibly|perhaps|there's|there is|there are|you have|you also have|luckily|it|"
    r"you (?:[a-z]+ ){1,3}(?=(?:a|an|the|some|two|your) )|includes|"
    r"additionally|including|such as|like)\s+",
    re.I,
)
# A verb and its object where a name should be: "found a map", "making it wet".
VERB = re.compile(r"^(?!with\b|[a-z]{3,}ing\b)(?:(?!of\b|and\b|or\b)[a-z']+\s+){1,3}an?\s+")
NO_NAME = re.compile(
    r"^(?:no|not|without|you|what|how|among|despite|due|of|for|[a-z]{3,}ing (?:an?|the))(?!\S)|"
    r"(?<!\S)(?:you|your|it|its|itself|they|them|their|there|with|to|from|in|on|at|by|that|which|is|are)(?!\S)|"
    r"(?<!\S)(?:of|the|an?)$|\w{3}'s$"
)
NO_TOOLS = _words(
    """
    access all etc feet following however inch inches issue it it's items need no none nothing one ones
    other possession present that that's them these this those time tools using without you yourself
    """
)

# Sizes, states and the like: said of a tool, but no part of its name.
STATES = _words(
    """
    accurate additional aged aging almost ancient assorted available average average-sized badly barely
    basic battered beat-up beautiful bent big bigger blunt blunted brand-new breakable brittle broad
    broken built bulky burnt certain cheap chipped chunky clean collapsed common compact completely
    corroded couple cracked crinkled crisp crumbled crumpled cumbersome cut-up damaged damp dead decent
    deep defective deflated deformed defunct delicate dense dented deteriorated diameter different
    different-sized diminutive dirty disassembled discarded discolored discoloured dog-eared drawn dried
    dried-out dry dull dull-edged durable dusty dying elegant empty entire everyday expansive expired
    extensive extra-large extra-long extra-thick extremely faded fairly fancy faulty favorite favourite
    few filled firm flexible flimsy floppy folded fragile fragrant frail frayed fraying fresh freshly full
    fully functional generic giant good grubby half half-empty half-filled half-full half-used handy hard
    heavily heavy heavy-duty hefty high high-quality holed huge hulking identical inadequate incomplete
    incredibly inefficient inflexible insufficient intact jammed jumbo kinked knotted large larger leaking
    leaky leftover lengthy light lightweight little locked lone long longer loose loud low lukewarm lumpy
    malfunctioned malfunctioning mashed massive matching medium medium-sized mid-sized mild miniature
    minuscule mismatched misshapen modern modest mostly moth-eaten muddy narrow nearby nearly new newer
    nice nicked noisy non-functional non-working normal old opened ordinary ornate outdated overcooked
    overripe oversized partially particular partly plain polished poor poor-quality pretty pristine
    pungent quality quiet quite ragged random rather really regular regular-sized relatively resilient
    rickety rigid ripe ripped robust rolled rotten rotting rough rugged rusted rustic rusting rusty
    same-sized saturated scarce scratched scratchy sealed severely shaky shallow sharp shattered short
    shorter similar simple single singular sizable size sizeable sized skinny sleek slender slightly
    slightly-bent slim slippery small smaller smooth snapped soaked sodden soft soggy solid somewhat
    spacious spare sparse specific spoiled spoilt squeaky stained stale standard standard-sized stiff
    strange strong stubby stunted sturdier sturdy stylish substandard tall tangled tattered taut thick
    thicker thin thinner threadbare tied-up tight tiny too torn tough trusty twisted typical unbent
    unbreakable uncharged undamaged undersized uneven unloaded unopened unreliable unstable untouched
    unusable unused unwieldy used useless vacant various very vibrant voluminous warped weak weathered
    weighty well-used well-worn wet whole wide withered wobbly wonky working worn worn-down worn-out
    wrinkled
    """
)
# Adjectives that make a tool another one: they stay in its name, but are no tool by themselves.
KINDS = _words(
    """
    absorbent adjustable antique black blue bright brown ceramic chewed circular clear coarse cold
    collapsible colorful colourful cool cordless cotton curved cylindrical dark decorative dense dim
    disposable elastic electric flat fluffy foldable frozen glossy gold golden gray green grey hand-held
    handheld hardened hollow hot inflatable insulated knitted leather manual metal metallic mini natural
    neon nylon oddly-shaped opaque orange oval pink plastic pointed portable powerful purple rectangular
    red reflective reusable round rubber shiny silver square stainless steel sticky straight stretchy
    sturdy-looking synthetic traditional transparent vintage warm waterproof waxy white wooden woolen
    woollen woven yellow
    """
)

# The second words of states: "heavy duty", "worn out".
AFTER_STATES = frozenset({"duty", "out", "quality", "size", "sized", "strength", "up"})
# What may end a name though it is among the states.
LAST_NOUNS = frozenset({"compact", "standard"})

# Where a state is part of the name, and where "ly" ends no adverb.
KEPT = _lines(
    """
    compact disc
    compact discs
    compact mirror
    compact mirrors
    dry erase
    dry ice
    dry shampoo
    hard disk
    hard drive
    hard hat
    hard hats
    hot glue
    light bulb
    light bulbs
    light fixture
    light source
    light stick
    light sticks
    light switch
    soft drink
    soft toy
    soft toys
    wet suit
    wet wipe
    wet wipes
    """
)
# Forms of sizes and states, such as "pocket-sized", "half-full", "worn-out"; and of other adjectives.
STATE_FORMS = re.compile(
    r"-(?:sized?|duty|long|thin|thick|wide|high|tall|quality|looking|strength|worn|eaten|damaged|drained|ridden|"
    r"riddled|functional|functioning|working)$|(?:ed|own|orn)-(?:up|out|down|off)$|"
    r"^(?:half|semi|nearly|almost|barely|slightly|fully|partly|partially)-\w+$"
)
ADJECTIVE_FORMS = re.compile(
    r"-(?:free|proof|resistant|friendly|prone|based|grade|like|tight)$|\w{4}(?:able|ible|ous)$|\w{3}less$"
)
# Adjectives that are tools as well, and nouns that look like adjectives.
NOUNS = _words(
    """
    cotton crucible gold leather light metal orange plastic rubber silver square steel timetable turntable
    vegetable
    """
)
ED_NOUNS = ("bed", "sled", "shed", "weed", "seed", "reed", "feed", "steed")
NO_ADVERBS = _words(
    """
    assembly belly butterfly doily family fly holly jelly july lily ply poly silly supply
    """
)

# Two spellings of one thing, and which of them the paper's tables have.
SAME = (
    ("hair dryer", "hairdryer"),
    ("hair drier", "hairdryer"),
    ("blow dryer", "hairdryer"),
    ("aluminium", "aluminum"),
    ("paperclip", "paper clip"),
    ("tee shirt", "t-shirt"),
    ("t shirt", "t-shirt"),
    ("tshirt", "t-shirt"),
)
