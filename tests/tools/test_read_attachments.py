"""`read` and `outline` of what is no text: pages of PDF files, DOCX, canvases, images."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from tests.attachments import samples
from tests.conftest import MakeVault
from vaulttools import BadArgument
from vaulttools.attachments import kinds

REPORT = samples.pdf("one\nuno", "", "three", "four")


def image(width: int, height: int, form: str = "PNG", mode: str = "RGB") -> bytes:
    data = io.BytesIO()
    noise = Image.effect_noise((width, height), 80).convert(mode)
    noise.save(data, form)
    return data.getvalue()


def test_a_pdf_is_read_with_its_pages(make_vault: MakeVault) -> None:
    answer = make_vault({"report.pdf": REPORT}).read(note="report.pdf")
    assert answer.text == "report.pdf, lines 1-4 of 4\n\npage 1:\n 1|one\n 2|uno\npage 3:\n 3|three\npage 4:\n 4|four"
    assert answer.pages is not None
    assert answer.pages.model_dump() == {"start": 1, "end": 4, "total": 4}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"start_page": 3}, "report.pdf, pages 3-4 of 4, lines 3-4 of 4\n\npage 3:\n 3|three\npage 4:\n 4|four"),
        ({"start_page": 1, "end_page": 1}, "report.pdf, page 1 of 4, lines 1-2 of 4\n\npage 1:\n 1|one\n 2|uno"),
        (
            {"end_page": 1, "max_chars": 4},
            "report.pdf, page 1 of 4, line 1 of 4\n\npage 1:\n 1|one\n\n"
            "[Line 1 of 1-2. Continue with start_line=2, end_line=2 instead of start_page and end_page.]",
        ),
    ],
)
def test_pages_are_read_alone(make_vault: MakeVault, arguments: dict[str, int], text: str) -> None:
    assert make_vault({"report.pdf": REPORT}).call("read", {"note": "report.pdf", **arguments}).text == text


def test_a_page_without_text_says_so(make_vault: MakeVault) -> None:
    answer = make_vault({"report.pdf": REPORT}).read(note="report.pdf", start_page=2, end_page=2)
    assert answer.notices == ["It has no text."]
    assert answer.content == ""


@pytest.mark.parametrize(
    ("note", "arguments", "sentence"),
    [
        ("report.pdf", {"start_page": 9}, "start_page 9 is past the end: report.pdf has 4 pages"),
        ("report.pdf", {"start_page": 3, "end_page": 2}, "end_page 2 is before start_page 3"),
        ("a.md", {"start_page": 1}, "start_page and end_page are for PDF files; a.md has no pages"),
    ],
)
def test_missing_pages_are_refused(make_vault: MakeVault, note: str, arguments: dict[str, int], sentence: str) -> None:
    result = make_vault({"report.pdf": REPORT, "a.md": "x"}).call("read", {"note": note, **arguments})
    assert (result.text, result.is_error) == (sentence, True)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        (
            "a.pdf",
            samples.scanned(),
            "Cannot read a.pdf: no text. Its pages are images, as in a scan; it has no text to search",
        ),
        ("a.pdf", samples.encrypted(), "Cannot read a.pdf: encrypted. It opens with a password only"),
        ("a.docx", samples.zipped({"x": ""}), "Cannot read a.docx: damaged"),
    ],
)
def test_a_file_without_text_says_why(make_vault: MakeVault, name: str, data: bytes, sentence: str) -> None:
    assert make_vault({name: data}).call("read", {"note": name}).text == sentence


def test_a_docx_is_read_by_heading_and_has_an_outline(make_vault: MakeVault) -> None:
    blocks = [samples.paragraph("Risks", "Heading1"), samples.paragraph("damp"), samples.paragraph("Rest", "Heading1")]
    vault = make_vault({"a.docx": samples.docx(*blocks)})
    assert vault.read(note="a.docx", heading="Risks").content == "# Risks\n\ndamp\n"
    assert [heading.text for heading in vault.outline(note="a.docx").headings] == ["Risks", "Rest"]


def test_a_canvas_is_read_and_outlined_as_cards_and_connections(make_vault: MakeVault) -> None:
    nodes = [{"id": "a", "type": "text", "text": "Buy milk"}, {"id": "b", "type": "file", "file": "b.md"}]
    canvas = json.dumps({"nodes": nodes, "edges": [{"fromNode": "a", "toNode": "b"}]})
    vault = make_vault({"board.canvas": canvas})
    assert vault.read(note="board.canvas", heading="Connections").content == "## Connections\n\n- Buy milk → b.md"
    assert [heading.text for heading in vault.outline(note="board.canvas").headings] == [
        "Cards",
        "Buy milk",
        "b.md",
        "Connections",
    ]


def test_an_invalid_canvas_is_read_as_it_is(make_vault: MakeVault) -> None:
    assert make_vault({"board.canvas": "no canvas"}).read(note="board.canvas").content == "no canvas"


def test_a_base_is_read_as_it_is(make_vault: MakeVault) -> None:
    assert make_vault({"a.base": "views:\n  - type: table\n"}).read(note="a.base").total_lines == 2


def test_an_image_is_shown_with_its_size_and_the_notes_that_embed_it(make_vault: MakeVault) -> None:
    data = image(40, 30)
    vault = make_vault(
        {
            "img/my pic.png": data,
            "a.md": "text\n![[my pic.png]]\n",
            "b.md": "![x](img/my%20pic.png) and [[MY PIC.png]]\n",
            "c.md": "my pic.png is not a link, [[other my pic.png]]\n",
        }
    )
    answer = vault.read(note="img/my pic.png")
    assert answer.text == (
        f"img/my pic.png, an image of 40 x 30 pixels, {len(data):,} bytes\n\n[Embedded in a.md:2, b.md:1, b.md:1.]"
    )
    assert answer.image is not None
    assert answer.picture is not None
    assert answer.image.model_dump() == {
        "mime_type": "image/png",
        "width": 40,
        "height": 30,
        "bytes": len(data),
        "embedded_in": [{"path": "a.md", "line": 2}, {"path": "b.md", "line": 1}, {"path": "b.md", "line": 1}],
    }
    assert answer.picture.data == data
    assert vault.call("read", {"note": "img/my pic.png"}).picture == answer.picture


@pytest.mark.scan_only
@pytest.mark.parametrize(
    ("form", "mode", "mime_type"),
    [("PNG", "RGB", "image/jpeg"), ("PNG", "RGBA", "image/png"), ("BMP", "RGB", "image/jpeg")],
)
def test_a_large_image_is_scaled_down(make_vault: MakeVault, form: str, mode: str, mime_type: str) -> None:
    answer = make_vault({f"big.{form.lower()}": image(1800, 900, form, mode)}).read(note=f"big.{form.lower()}")
    assert answer.picture is not None
    assert answer.picture.mime_type == mime_type
    assert len(answer.picture.data) <= 768 * 1024
    with Image.open(io.BytesIO(answer.picture.data)) as shown:
        assert shown.size == (answer.picture.shown_width, answer.picture.shown_height)
        assert shown.width == shown.height * 2 <= 1568
    assert "1,800 x 900 pixels" in answer.text
    assert ", shown at " in answer.text


def test_an_invalid_image_is_refused(make_vault: MakeVault) -> None:
    vault = make_vault({"a.png": b"\x89PNG\r\n\x1a\n nothing", "b.svg": "<svg/>"})
    with pytest.raises(BadArgument, match=r"^Cannot read a\.png: no image that can be shown, or one beyond"):
        vault.read(note="a.png")
    assert vault.read(note="b.svg").content == "<svg/>"


def test_without_the_extra_an_image_says_how_to_see_it(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "is_installed", lambda: False)
    result = make_vault({"a.png": image(4, 4)}).call("read", {"note": "a.png"})
    how = "pip install '.[files]' in the checkout"
    assert result.text == f"Cannot read a.png: binary. It is an image; to see it: {how}"


def test_an_image_in_a_protected_folder_stays_closed(make_vault: MakeVault) -> None:
    result = make_vault({".obsidian/a.png": image(4, 4)}).call("read", {"note": ".obsidian/a.png"})
    assert result.text == "Access denied: '.obsidian/' is a protected folder"


def test_a_pixel_flood_costs_its_own_process(make_vault: MakeVault, tmp_path: Path) -> None:
    header = bytearray(image(1, 1))
    header[16:24] = (60_000).to_bytes(4, "big") * 2  # it claims 3.6 billion pixels
    (tmp_path / "vault").mkdir()
    vault = make_vault({"flood.png": bytes(header) + b"\0" * (800 * 1024), "good.png": image(4, 4)})
    assert vault.call("read", {"note": "flood.png"}).is_error
    assert not vault.call("read", {"note": "good.png"}).is_error
