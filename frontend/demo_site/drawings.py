"""Sixteen more drawings; ``art`` has the frame and the others."""

SHAPES: dict[str, str] = {
    "teapot": """<ellipse cx="98" cy="114" rx="44" ry="40" fill="$main"/>
<path d="M138 104c18-2 18-22 32-26l4 10c-10 6-8 30-34 34z" fill="$dark"/>
<path d="M56 96c-34-6-34 44 2 40" fill="none" stroke="$dark" stroke-width="9"/>
<path d="M66 84c10-18 54-18 64 0z" fill="$light"/><circle cx="98" cy="64" r="8" fill="$dark"/>
<path d="M70 146h56l-6 12H76z" fill="$dark"/>""",
    "whisk": """<rect x="92" y="110" width="16" height="52" rx="8" fill="$dark"/>
<g fill="none" stroke="$main" stroke-width="5"><path d="M100 112c-52-30-30-80 0-80s52 50 0 80"/>
<path d="M100 112c-26-30-16-80 0-80s26 50 0 80"/><path d="M100 112V32"/></g>
<rect x="90" y="106" width="20" height="12" rx="4" fill="$light"/>""",
    "torch": """<path d="M74 40h52l-8 34H82z" fill="$main"/>
<path d="M70 28h60v14H70z" fill="$light"/>
<rect x="84" y="72" width="32" height="88" rx="8" fill="$dark"/>
<rect x="94" y="92" width="12" height="22" rx="6" fill="#f5b942"/>
<path d="M88 132h24M88 142h24" stroke="$light" stroke-width="4"/>""",
    "string": """<path d="M24 56c50 66 102 66 152 0" fill="none" stroke="$dark" stroke-width="5"/>
<g fill="#f5b942"><ellipse cx="44" cy="90" rx="11" ry="15"/><ellipse cx="80" cy="116" rx="11"
 ry="15"/><ellipse cx="120" cy="116" rx="11" ry="15"/><ellipse cx="156" cy="90" rx="11" ry="15"/>
</g>
<g fill="$main"><path d="M38 68h12v10H38zM74 94h12v10H74zM114 94h12v10h-12zM150 68h12v10h-12z"/></g>
<path d="M40 92c1 5 3 7 6 8M76 118c1 5 3 7 6 8" stroke="#fff" stroke-width="3" fill="none"/>""",
    "scarf": """<path d="M62 58c24-22 52-22 76 0l-10 30c-18-14-38-14-56 0z" fill="$main"/>
<path d="M74 80l26 6-6 62H66z" fill="$dark"/><path d="M100 84l26-6 12 74h-28z" fill="$light"/>
<path d="M72 64c18-12 38-12 56 0" stroke="$light" stroke-width="5" fill="none"/>
<path d="M66 148v12M76 148v12M86 148v12M112 152v10M122 152v10M132 152v10" stroke="$main"
 stroke-width="4"/>""",
    "rug": """<path d="M46 66h108v84H46z" fill="$main"/><path d="M58 78h84v60H58z" fill="$light"/>
<path d="M100 84l26 24-26 24-26-24z" fill="$dark"/><path d="M100 96l13 12-13 12-13-12z"
 fill="$ground"/><path d="M46 66v-12M62 66v-12M78 66v-12M94 66v-12M110 66v-12M126 66v-12M142
 66v-12M154 66v-12M46 150v12M62 150v12M78 150v12M94 150v12M110 150v12M126 150v12M142 150v12M154
 150v12" stroke="$dark" stroke-width="3"/>""",
    "ruler": """<g transform="rotate(-28 100 100)"><rect x="26" y="78" width="148" height="42"
 rx="5"
 fill="$main"/><path d="M38 78v14M50 78v22M62 78v14M74 78v22M86 78v14M98 78v22M110 78v14M122
 78v22M134 78v14M146 78v22M158 78v14" stroke="$dark" stroke-width="3"/>
<circle cx="164" cy="108" r="5" fill="$ground"/></g>""",
    "stamp": """<rect x="64" y="128" width="72" height="22" rx="6" fill="$main"/>
<path d="M84 128l6-40h20l6 40z" fill="$light"/><circle cx="100" cy="66" r="26" fill="$dark"/>
<path d="M86 58c4-8 12-10 18-8" stroke="$light" stroke-width="4" fill="none"/>
<rect x="58" y="150" width="84" height="9" rx="3" fill="$dark"/>""",
    "can": """<path d="M62 84h72l6 74H56z" fill="$main"/>
<path d="M134 118l34-44 8 6-36 58z" fill="$dark"/><path d="M160 62l26 20" stroke="$dark"
 stroke-width="9" stroke-linecap="round"/>
<path d="M66 84c-6-56 62-56 62 0" fill="none" stroke="$dark" stroke-width="8"/>
<path d="M62 84h72l1 12H61z" fill="$light"/>""",
    "trowel": """<path d="M100 168c-30-24-30-54-22-72h44c8 18 8 48-22 72z" fill="$light"/>
<path d="M100 158V98" stroke="$dark" stroke-width="3"/>
<path d="M100 96V74" stroke="$dark" stroke-width="9"/>
<rect x="88" y="24" width="24" height="54" rx="12" fill="$main"/>
<circle cx="100" cy="36" r="4" fill="$ground"/>""",
    "basket": """<path d="M58 88c0-70 84-70 84 0" fill="none" stroke="$dark" stroke-width="7"/>
<path d="M44 88h112l-14 70H58z" fill="$main"/>
<path d="M50 104h100M53 122h94M57 140h86" stroke="$dark" stroke-width="4" opacity=".6"/>
<path d="M76 90l4 66M100 90v66M124 90l-4 66" stroke="$light" stroke-width="5" opacity=".7"/>
<rect x="40" y="80" width="120" height="14" rx="7" fill="$light"/>""",
    "birdhouse": """<path d="M62 84h76v66H62z" fill="$main"/>
<path d="M100 32l58 54H42z" fill="$dark"/>
<circle cx="100" cy="104" r="14" fill="#2b2620"/><path d="M100 132v12" stroke="$dark"
 stroke-width="6" stroke-linecap="round"/><rect x="94" y="150" width="12" height="18" fill="$dark"/>
<path d="M100 44l40 38H60z" fill="$light" opacity=".35"/>""",
    "seeds": """<path d="M64 44h72v116H64z" fill="$light"/><path d="M64 44h72v18H64z" fill="$main"/>
<path d="M100 142V98" stroke="#4f8a5b" stroke-width="5"/>
<g fill="#e08a4f"><circle cx="100" cy="76" r="9"/><circle cx="86" cy="88" r="9"/>
<circle cx="114" cy="88" r="9"/><circle cx="91" cy="103" r="9"/><circle cx="109" cy="103" r="9"/>
</g>
<circle cx="100" cy="91" r="9" fill="#f5d36b"/>
<path d="M100 130c14-14 24-10 26-8-6 12-16 14-26 8M100 138c-14-14-24-10-26-8 6 12 16 14 26 8"
 fill="#4f8a5b"/>""",
    "pot": """<path d="M58 84h84l-12 76H70z" fill="$main"/><rect x="50" y="70" width="100"
 height="22" rx="6" fill="$dark"/><path d="M76 104l4 44" stroke="$light" stroke-width="6"
 stroke-linecap="round"/><path d="M100 70c-4-20-18-26-26-26 0 16 10 26 26 26M100 70c4-26 18-34
 28-34 0 20-10 34-28 34" fill="#4f8a5b"/>""",
    "gloves": """<path d="M52 150v-48c-16-8-20-28-10-30s14 14 22 16V52c0-10 12-10 12 0v28-40c0-10
 12-10
 12 0v42-32c0-9 11-9 11 0v56l-5 44z" fill="$main"/><path d="M50 148h46v14H50z" fill="$dark"/>
<path d="M112 154v-44c-12-8-14-24-6-26s10 10 16 12V66c0-9 11-9 11 0v22-32c0-9 11-9 11 0v34-24c0-8
 10-8
 10 0v52l-4 36z" fill="$light"/><path d="M110 150h42v12h-42z" fill="$dark"/>""",
    "stool": """<rect x="44" y="74" width="112" height="18" rx="9" fill="$main"/>
<path d="M62 92l-12 68M138 92l12 68M88 92l-4 68M112 92l4 68" stroke="$dark" stroke-width="8"
 stroke-linecap="round"/><path d="M57 124h86" stroke="$light" stroke-width="6"/>
<path d="M54 80h92" stroke="$light" stroke-width="3" opacity=".7"/>""",
}
