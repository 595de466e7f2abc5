"""What the shop sells."""

import msgspec


class Category(msgspec.Struct, frozen=True):
    """A shelf of the shop."""

    slug: str
    name: str
    line: str


class Product(msgspec.Struct, frozen=True):
    """One article. ``cents`` is its price; ``art`` names its drawing, ``tone`` its colours."""

    slug: str
    name: str
    category: str
    cents: int
    art: str
    tone: str
    line: str
    details: tuple[str, ...]


CATEGORIES = (
    Category("kitchen", "Kitchen", "For mornings that begin with steam."),
    Category("light", "Light", "Lamps and candles for long evenings."),
    Category("textiles", "Textiles", "Wool, linen, and nothing that itches."),
    Category("desk", "Desk", "Paper, ink, and a quiet clock."),
    Category("garden", "Garden", "For beds, birds and borrowed balconies."),
)

CARE: dict[str, tuple[str, ...]] = {
    "kitchen": (
        "Wash by hand in the first week, then as you like.",
        "Wood wants oil when it looks thirsty; iron wants heat and a cloth.",
    ),
    "light": (
        "Unplug before you dust. Glass likes a drop of vinegar in the water.",
        "Trim a wick to five millimetres, and never leave a flame alone.",
    ),
    "textiles": (
        "Cold, gentle, and together with its own kind.",
        "Air wool overnight instead of washing it; it cleans itself.",
    ),
    "desk": (
        "A dry cloth is enough. Brass turns dark where it is held: that is yours.",
        "Keep ink and sun apart.",
    ),
    "garden": (
        "Brush the soil off, wipe steel with an oiled rag, hang it up dry.",
        "Clay may stay out in frost when it is empty.",
    ),
}
"""What to do with the things of a shelf, so that they last."""


def _of(category: str, *rows: tuple[str, str, int, str, str, str, str]) -> tuple[Product, ...]:
    return tuple(
        Product(slug, name, category, cents, art, tone, line, tuple(details.split("; ")))
        for slug, name, cents, art, tone, line, details in rows
    )


PRODUCTS = (
    *_of(
        "kitchen",
        ("harbour-kettle", "Harbour kettle", 6900, "kettle", "sea",
         "An enamel kettle that sings in a low voice.", "1.4 litres; enamelled steel; all hobs"),
        ("tall-mug", "Tall mug", 1850, "mug", "clay",
         "Stoneware with a thumb rest, glazed by hand.", "350 ml; stoneware; dishwasher safe"),
        ("oak-board", "Oak board", 3400, "board", "oak",
         "A bread board from a single plank.", "38 x 22 cm; oiled oak; one-piece"),
        ("cast-pan", "Cast pan", 5900, "pan", "slate",
         "Heavy iron that your grandchildren will argue about.", "26 cm; cast iron; pre-seasoned"),
        ("pour-over-set", "Pour-over set", 4600, "carafe", "amber",
         "Glass carafe and dripper for two slow cups.", "600 ml; borosilicate glass; 40 filters"),
        ("salt-jar", "Salt jar", 2200, "jar", "sand",
         "A wide mouth for cooks who pinch.", "0.5 litres; stoneware; beech lid"),
        ("morning-teapot", "Morning teapot", 5200, "teapot", "clay",
         "Pours the last cup as cleanly as the first.", "0.9 litres; stoneware; steel sieve"),
        ("wire-whisk", "Wire whisk", 1950, "whisk", "slate",
         "Eleven wires and a handle that stays dry.", "28 cm; stainless steel; balanced"),
    ),
    *_of(
        "light",
        ("porch-lantern", "Porch lantern", 7900, "lantern", "sea",
         "A storm lantern for candles or a small bulb.", "32 cm; powder-coated steel; glass"),
        ("reading-lamp", "Reading lamp", 12900, "lamp", "amber",
         "Bends to your page and stays there.", "46 cm; 2700 K LED; dimmable"),
        ("moon-globe", "Moon globe", 8900, "globe", "sand",
         "A frosted globe with the light of a late moon.", "22 cm; opal glass; E14"),
        ("beeswax-pair", "Beeswax pair", 1600, "candle", "oak",
         "Two hand-dipped candles that smell of summer.", "24 cm; beeswax; 9 hours each"),
        ("paper-shade", "Paper shade", 4200, "shade", "clay",
         "Folded by hand, flat when it travels.", "40 cm; washi paper; any bulb to 12 W"),
        ("tea-lights", "Tea light row", 2900, "row", "slate",
         "Five flames in one length of ash wood.", "45 cm; ash; glass inserts"),
        ("cellar-torch", "Cellar torch", 3300, "torch", "slate",
         "One button, one beam, no disco.", "17 cm; aluminium; two AA cells"),
        ("garden-string", "String of bulbs", 5600, "string", "amber",
         "Ten warm bulbs for the last hour outside.", "8 m; IP44; 2200 K LED"),
    ),
    *_of(
        "textiles",
        ("fisher-blanket", "Fisher blanket", 14900, "blanket", "sea",
         "Woven wool, wide enough for two.", "140 x 200 cm; lambswool; mulesing-free"),
        ("linen-cushion", "Linen cushion", 3900, "cushion", "clay",
         "Stone-washed linen with a feather fill.", "50 x 50 cm; European linen; zipped"),
        ("waffle-towel", "Waffle towel", 2700, "towel", "sand",
         "Dries you and then itself, quickly.", "70 x 140 cm; cotton; 320 g/m²"),
        ("market-tote", "Market tote", 2400, "tote", "oak",
         "Canvas that holds a week of vegetables.", "38 x 42 cm; organic canvas; 15 kg"),
        ("striped-apron", "Striped apron", 3600, "apron", "slate",
         "Two pockets and a loop for the cloth.", "80 cm; cotton twill; one size"),
        ("wool-socks", "Wool socks", 1900, "socks", "amber",
         "For floors of stone and early trains.", "36 to 45; merino; darned for free"),
        ("pier-scarf", "Pier scarf", 4400, "scarf", "sea",
         "Long enough to lend one end.", "190 x 30 cm; lambswool; fringed"),
        ("hall-rug", "Hall rug", 11900, "rug", "clay",
         "Flat-woven, and forgiving of boots.", "70 x 140 cm; wool on cotton; reversible"),
    ),
    *_of(
        "desk",
        ("dot-notebook", "Dot notebook", 1700, "notebook", "sea",
         "Lies flat on page one.", "A5; 160 pages; thread-bound"),
        ("brass-pen", "Brass pen", 5400, "pen", "amber",
         "Turned from one rod, heavier than it looks.", "13 cm; solid brass; standard refill"),
        ("quiet-clock", "Quiet clock", 6400, "clock", "clay",
         "A sweep hand, so that the night stays silent.", "18 cm; beech; AA battery"),
        ("letter-tray", "Letter tray", 4800, "tray", "oak",
         "Two floors for what must be answered.", "33 x 25 cm; walnut veneer; stackable"),
        ("ink-well", "Bottle of ink", 1450, "ink", "slate",
         "Blue-black, iron gall, behaves on cheap paper.", "50 ml; iron gall; fountain pens"),
        ("desk-plant", "Desk plant", 2600, "plant", "sand",
         "A jade plant that forgives holidays.", "18 cm; clay pot; water monthly"),
        ("maple-ruler", "Maple ruler", 1250, "ruler", "amber",
         "Thirty centimetres, every one of them.", "30 cm; maple; engraved scale"),
        ("date-stamp", "Date stamp", 2300, "stamp", "clay",
         "Turns by thumb, good until 2037.", "4 mm; beech and rubber; ink pad"),
    ),
    *_of(
        "garden",
        ("slow-can", "Watering can", 4900, "can", "sea",
         "A long spout for seedlings at the back.", "5 litres; galvanised steel; brass rose"),
        ("hand-trowel", "Hand trowel", 2900, "trowel", "oak",
         "Forged in one piece, ash where you hold it.", "31 cm; carbon steel; ash handle"),
        ("harvest-basket", "Harvest basket", 5400, "basket", "oak",
         "Rinses and carries in the same trip.", "42 cm; willow; lined with linen"),
        ("wren-house", "Wren house", 3800, "birdhouse", "clay",
         "A front door of exactly 32 millimetres.", "24 cm; larch; opens for cleaning"),
        ("poppy-seeds", "Poppy seeds", 450, "seeds", "sand",
         "Two square metres of orange in July.", "2 g; open-pollinated; sow March to May"),
        ("long-pot", "Clay pot", 1950, "pot", "clay",
         "Breathes, so that roots may.", "18 cm; terracotta; frost-proof"),
        ("bramble-gloves", "Bramble gloves", 2750, "gloves", "amber",
         "Goatskin against thorns, cotton against July.", "S to XL; goatskin; washable"),
        ("weeding-stool", "Weeding stool", 6800, "stool", "slate",
         "Low enough to reach, high enough to rise.", "28 cm; oak; 120 kg"),
    ),
)  # fmt: skip

BY_SLUG = {product.slug: product for product in PRODUCTS}
CATEGORY_BY_SLUG = {category.slug: category for category in CATEGORIES}


def in_category(slug: str) -> list[Product]:
    """The products of one shelf, in the catalogue's order."""
    return [product for product in PRODUCTS if product.category == slug]


def matching(query: str) -> list[Product]:
    """Products in which every word of the query occurs. An empty query matches nothing."""
    words = query.casefold().split()
    if not words:
        return []
    return [product for product in PRODUCTS if all(word in _text(product) for word in words)]


def related(product: Product, number: int = 3) -> list[Product]:
    """Others from the same shelf, beginning after this one."""
    shelf = in_category(product.category)
    place = shelf.index(product)
    return [*shelf[place + 1 :], *shelf[:place]][:number]


def _text(product: Product) -> str:
    parts = (product.name, product.category, product.line, *product.details)
    return " ".join(parts).casefold()
