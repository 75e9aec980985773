"""The colours of pictures, by role.

Text has a contrast of at least 4.5:1 to its background (WCAG 2.2, success criterion 1.4.3). Players' colours differ in
lightness or along the blue-yellow axis, which most people with a colour vision deficiency can distinguish, and names
are shown beside the colours.
"""

PALETTE: dict[str, str] = {
    "table": "#17453b",
    "panel": "#0f342c",
    "slot": "#2f6154",
    "text": "#ffffff",
    "muted": "#c3dbd1",
    "card": "#ffffff",
    "back": "#d7e2de",
    "edge": "#b9c7c1",
    "ink": "#1c2b27",
    "win": "#ffd166",
    "skin": "#efc39c",
    "shade": "#d9a57c",
    "hair": "#40535c",
    "player_0": "#00599c",
    "player_1": "#b03a00",
    "player_2": "#6d4a8f",
    "player_3": "#6b5900",
    "player_4": "#a02560",
    "player_5": "#40535c",
}
