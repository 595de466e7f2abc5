"""The products' pictures: drawings in SVG, made from a few shapes and six sets of colours.

Colours stand in presentation attributes, which a strict Content-Security-Policy allows.
"""

from functools import cache
from string import Template

from markupsafe import Markup

from frontend.demo_site import drawings

TONES: dict[str, dict[str, str]] = {
    "sea": {"ground": "#cfe3e1", "main": "#1f6f6b", "dark": "#154c4a", "light": "#8fc4bf"},
    "clay": {"ground": "#f3d9cb", "main": "#c0603c", "dark": "#8a3f25", "light": "#e8a988"},
    "oak": {"ground": "#eadfc8", "main": "#a9783f", "dark": "#74502a", "light": "#d6b27d"},
    "slate": {"ground": "#d9dee4", "main": "#47566a", "dark": "#2b3747", "light": "#93a3b8"},
    "amber": {"ground": "#f7e4b7", "main": "#d0932a", "dark": "#8f5f10", "light": "#f0c46f"},
    "sand": {"ground": "#efe7da", "main": "#b9a98c", "dark": "#7b6c52", "light": "#fbf7ef"},
}

SHAPES: dict[str, str] = {
    **drawings.SHAPES,
    "kettle": """<path d="M58 150c-6-44 8-74 42-74s48 30 42 74z" fill="$main"/>
<path d="M138 112l28-24 8 8-32 40z" fill="$dark"/>
<path d="M66 82c0-46 68-46 68 0" fill="none" stroke="$dark" stroke-width="8"/>
<circle cx="100" cy="70" r="8" fill="$dark"/><path d="M60 138h80v12H58z" fill="$dark"/>
<path d="M74 96c6-8 12-11 20-11" stroke="$light" stroke-width="5" fill="none"/>""",
    "mug": """<path d="M62 62h66l-5 90H67z" fill="$main"/>
<path d="M127 82c34-6 34 46-2 44" fill="none" stroke="$main" stroke-width="10"/>
<path d="M62 62h66l-1 18H63z" fill="$light"/><ellipse cx="95" cy="62" rx="33" ry="8" fill="$dark"/>
<path d="M84 46c-8-10 8-14 0-26M104 46c-8-10 8-14 0-26" stroke="$dark" stroke-width="3"
 fill="none" opacity=".45"/>""",
    "board": """<rect x="66" y="58" width="68" height="104" rx="12" fill="$main"/>
<rect x="90" y="26" width="20" height="40" rx="10" fill="$main"/>
<circle cx="100" cy="38" r="5" fill="$ground"/>
<path d="M78 70c6 30-4 54 4 84M96 66c-5 36 7 60 0 90M116 70c8 28-6 52 2 84" stroke="$dark"
 stroke-width="2" fill="none" opacity=".5"/>""",
    "pan": """<circle cx="86" cy="112" r="46" fill="$dark"/>
<circle cx="86" cy="112" r="37" fill="$main"/>
<path d="M116 76l44-44 12 12-44 44z" fill="$dark"/>
<path d="M62 104c4-12 12-18 24-19" stroke="$light" stroke-width="4" fill="none"/>""",
    "carafe": """<path d="M80 92l-22 52c-3 8 2 14 10 14h64c8 0 13-6 10-14l-22-52z" fill="$light"/>
<path d="M66 126l-8 18c-3 8 2 14 10 14h64c8 0 13-6 10-14l-8-18z" fill="$dark"/>
<path d="M66 44h68l-24 42H90z" fill="$main"/>
<rect x="84" y="84" width="32" height="10" fill="$dark"/>
<path d="M70 44l30 38 30-38z" fill="#fff" opacity=".55"/>""",
    "jar": """<rect x="60" y="76" width="80" height="82" rx="14" fill="$light"/>
<path d="M60 116h80v28c0 8-6 14-14 14H74c-8 0-14-6-14-14z" fill="$main"/>
<rect x="56" y="60" width="88" height="20" rx="8" fill="$dark"/>
<circle cx="100" cy="54" r="9" fill="$dark"/>""",
    "lantern": """<path d="M78 46c0-28 44-28 44 0" fill="none" stroke="$dark" stroke-width="6"/>
<path d="M64 62l12-18h48l12 18z" fill="$main"/><rect x="66" y="62" width="68" height="84"
 fill="$light"/><rect x="58" y="142" width="84" height="16" rx="4" fill="$main"/>
<path d="M66 62v84M134 62v84M100 62v84" stroke="$dark" stroke-width="5"/>
<path d="M100 92c16 18 10 38 0 38s-16-20 0-38" fill="#f5b942"/>""",
    "lamp": """<rect x="62" y="148" width="76" height="12" rx="6" fill="$dark"/>
<path d="M100 150V98L70 66" stroke="$dark" stroke-width="7" fill="none"/>
<circle cx="100" cy="98" r="7" fill="$main"/><path d="M44 74l30-36 26 24-22 14z" fill="$main"/>
<path d="M46 76l32-2-14 46z" fill="#fff2b8" opacity=".8"/>""",
    "globe": """<circle cx="100" cy="88" r="48" fill="$light"/>
<circle cx="86" cy="74" r="10" fill="$main" opacity=".3"/>
<circle cx="114" cy="100" r="14" fill="$main" opacity=".3"/>
<circle cx="92" cy="112" r="6" fill="$main" opacity=".3"/>
<path d="M70 134h60l10 24H60z" fill="$dark"/>""",
    "candle": """<rect x="70" y="68" width="20" height="92" rx="5" fill="$light"/>
<rect x="112" y="86" width="20" height="74" rx="5" fill="$main"/>
<path d="M80 68v-8M122 86v-8" stroke="$dark" stroke-width="3"/>
<path d="M80 32c12 14 8 28 0 28s-12-14 0-28M122 50c12 14 8 28 0 28s-12-14 0-28" fill="#f5b942"/>
<rect x="54" y="156" width="94" height="8" rx="4" fill="$dark"/>""",
    "shade": """<path d="M100 24v28" stroke="$dark" stroke-width="4"/>
<path d="M74 52h52l26 84H48z" fill="$light"/>
<path d="M84 52l-16 84M100 52v84M116 52l16 84" stroke="$main" stroke-width="4"/>
<path d="M48 136h104l-4 10H52z" fill="$dark"/><circle cx="100" cy="154" r="8" fill="#f5b942"/>""",
    "row": """<rect x="32" y="126" width="136" height="26" rx="6" fill="$main"/>
<g fill="$light"><rect x="42" y="104" width="18" height="24"/><rect x="66" y="104" width="18"
 height="24"/><rect x="91" y="104" width="18" height="24"/><rect x="116" y="104" width="18"
 height="24"/><rect x="140" y="104" width="18" height="24"/></g>
<g fill="#f5b942"><path d="M51 76c9 10 6 22 0 22s-9-12 0-22"/><path d="M75 76c9 10 6 22 0 22s-9-12
 0-22"/><path d="M100 76c9 10 6 22 0 22s-9-12 0-22"/><path d="M125 76c9 10 6 22 0 22s-9-12
 0-22"/><path d="M149 76c9 10 6 22 0 22s-9-12 0-22"/></g>""",
    "blanket": """<rect x="46" y="58" width="108" height="34" rx="12" fill="$main"/>
<rect x="46" y="88" width="108" height="34" rx="12" fill="$light"/>
<rect x="46" y="118" width="108" height="34" rx="12" fill="$dark"/>
<path d="M58 66h84M58 84h84M58 126h84M58 144h84" stroke="#fff" stroke-width="2"
 stroke-dasharray="5 6" opacity=".6"/>""",
    "cushion": """<path d="M48 58c34 10 70 10 104 0-9 34-9 62 0 98-34-9-70-9-104 0 9-36 9-64 0-98z"
 fill="$main"/><path d="M66 76c22 6 46 6 68 0M66 138c22-5 46-5 68 0" stroke="$light"
 stroke-width="4" fill="none"/><circle cx="100" cy="106" r="7" fill="$dark"/>""",
    "towel": """<path d="M40 44h120" stroke="$dark" stroke-width="8" stroke-linecap="round"/>
<path d="M62 44h76v112H62z" fill="$light"/><path d="M62 120h76v14H62z" fill="$main"/>
<path d="M62 62h76M62 80h76M62 98h76M82 44v74M100 44v74M118 44v74" stroke="$main"
 stroke-width="2" opacity=".6"/>""",
    "tote": """<path d="M78 78c0-54 44-54 44 0" fill="none" stroke="$dark" stroke-width="7"/>
<path d="M54 76h92l8 82H46z" fill="$main"/><path d="M78 96h44v34H78z" fill="$light"/>
<path d="M100 102v22M90 112l10-10 10 10" stroke="$dark" stroke-width="4" fill="none"/>""",
    "apron": """<path d="M82 48c0-26 36-26 36 0" fill="none" stroke="$dark" stroke-width="5"/>
<path d="M78 46h44l6 34 22 14-6 68H56l-6-68 22-14z" fill="$main"/>
<path d="M90 46v116M110 46v116M72 86v76M128 86v76" stroke="$light" stroke-width="4" opacity=".7"/>
<path d="M78 108h44v28H78z" fill="$dark"/>""",
    "socks": """<path d="M60 44h32v62l20 26c10 14-8 30-22 20l-30-28z" fill="$main"/>
<path d="M104 44h32v62l20 26c10 14-8 30-22 20l-30-28z" fill="$dark"/>
<path d="M60 44h32v14H60zM104 44h32v14h-32z" fill="$light"/>
<path d="M60 74h32M104 74h32" stroke="$light" stroke-width="5"/>""",
    "notebook": """<rect x="58" y="40" width="88" height="120" rx="6" fill="$dark"/>
<rect x="54" y="36" width="88" height="120" rx="6" fill="$main"/>
<rect x="54" y="36" width="18" height="120" fill="$dark"/>
<rect x="86" y="60" width="42" height="26" rx="3" fill="$light"/>
<path d="M128 36v120" stroke="$light" stroke-width="4"/>""",
    "pen": """<g transform="rotate(38 100 100)"><rect x="88" y="34" width="24" height="100" rx="6"
 fill="$main"/><path d="M88 132h24l-12 34z" fill="$light"/><path d="M96 154h8l-4 12z" fill="$dark"/>
<rect x="88" y="54" width="24" height="6" fill="$dark"/>
<rect x="110" y="36" width="6" height="44" rx="3" fill="$dark"/></g>""",
    "clock": """<circle cx="100" cy="98" r="58" fill="$main"/><circle cx="100" cy="98" r="48"
 fill="#fffaf2"/><path d="M100 98V66M100 98l24 14" stroke="$dark" stroke-width="6"
 stroke-linecap="round"/><circle cx="100" cy="98" r="5" fill="$dark"/>
<path d="M100 56v6M100 134v6M58 98h6M136 98h6" stroke="$dark" stroke-width="4"/>
<path d="M66 150l-8 12M134 150l8 12" stroke="$dark" stroke-width="8"/>""",
    "tray": """<path d="M40 84h120v12H40zM40 134h120v14H40z" fill="$main"/>
<path d="M48 84v64M152 84v64" stroke="$dark" stroke-width="8"/>
<path d="M58 74h84v10H58zM62 118h76v16H62z" fill="#fffaf2"/>
<path d="M62 118l38 12 38-12" stroke="$light" stroke-width="3" fill="none"/>""",
    "ink": """<path d="M60 92h80l6 58c0 6-4 10-10 10H64c-6 0-10-4-10-10z" fill="$light"/>
<path d="M57 118h86l3 32c0 6-4 10-10 10H64c-6 0-10-4-10-10z" fill="$dark"/>
<rect x="76" y="72" width="48" height="20" fill="$light"/>
<rect x="70" y="46" width="60" height="28" rx="6" fill="$main"/>
<rect x="82" y="126" width="36" height="20" rx="2" fill="#fffaf2"/>""",
    "plant": """<path d="M66 116h68l-8 46H74z" fill="#b8623f"/><rect x="60" y="106" width="80"
 height="16" rx="4" fill="#c9744f"/><path d="M100 106V62" stroke="#3f5d43" stroke-width="6"/>
<g fill="#4f8a5b"><ellipse cx="78" cy="82" rx="20" ry="11" transform="rotate(24 78 82)"/>
<ellipse cx="122" cy="82" rx="20" ry="11" transform="rotate(-24 122 82)"/>
<ellipse cx="84" cy="56" rx="18" ry="10" transform="rotate(40 84 56)"/>
<ellipse cx="116" cy="56" rx="18" ry="10" transform="rotate(-40 116 56)"/></g>
<ellipse cx="100" cy="44" rx="10" ry="18" fill="#6aa874"/>""",
}

FRAME = Template(
    '<svg class="art" viewBox="0 0 200 200" aria-hidden="true" focusable="false">'
    '<rect width="200" height="200" fill="$ground"/>'
    '<ellipse cx="100" cy="164" rx="66" ry="9" fill="$dark" opacity=".16"/>$shape</svg>'
)


@cache
def drawing(art: str, tone: str) -> Markup:
    """The picture as inline SVG. It is decoration: the product's name stands beside it."""
    colours = TONES[tone]
    shape = Template(SHAPES[art]).substitute(colours)
    return Markup(FRAME.substitute(colours, shape=shape))  # noqa: S704 (our own drawings only)
