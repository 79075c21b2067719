"""Letters and the fonts that have them."""

import pytest

from fourfold.experiments.plots.fonts import BASE, choose_fonts, printable

SCRIPT_G = "\u210a"  # in the STIX fonts that come with matplotlib, not in DejaVu Sans
NO_LETTER = "\U0010fffd"  # for private use


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Déjà Vu", "Déjà Vu"),
        ("De\u0301ja\u0300", "Déjà"),
        ("two\n lines\t", "two lines"),
        ("\u2764\ufe0f", "\u2764"),
        ("a\u200db\u202e", "ab"),
        ("bell\x07", "bell\ufffd"),
    ],
)
def test_what_has_no_shape_is_left_out(text, expected):
    assert printable(text) == expected


def test_accents_need_no_other_font():
    chosen = choose_fonts(["Déjà Vu", "Māṃsa", "Žižkov", "π", "Mjölnir", "↑ − →"])
    assert chosen.families == (BASE,)
    assert chosen.missing == {}


def test_a_letter_that_the_font_lacks_is_taken_from_another():
    chosen = choose_fonts(["Mère", f"a {SCRIPT_G}"])
    assert chosen.families[0] == BASE
    assert len(chosen.families) == 2
    assert chosen.missing == {}


def test_a_letter_that_no_font_has_is_told_with_its_text():
    chosen = choose_fonts(["Mère", f"x{NO_LETTER}{SCRIPT_G}{NO_LETTER}"])
    assert chosen.missing == {f"x{NO_LETTER}{SCRIPT_G}{NO_LETTER}": (NO_LETTER,)}
    assert not any("Last Resort" in family for family in chosen.families)


def test_a_font_that_was_installed_since_is_found(monkeypatch):
    from matplotlib import font_manager

    held = [font for font in font_manager.fontManager.ttflist if font.name == BASE]
    path = font_manager.findfont("STIXGeneral")
    monkeypatch.setattr(font_manager.fontManager, "ttflist", held)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [path, __file__])
    assert choose_fonts([SCRIPT_G]).families == (BASE, "STIXGeneral")
