"""Makes the PDF and DOCX files of the tests, each as small as possible."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages: str, extra: str = "") -> bytes:
    """A PDF whose pages show these lines in Helvetica; `extra` goes into the dictionary of each page."""
    return _pdf([_shown(page) for page in pages], extra)


def scanned(pages: int = 1) -> bytes:
    """A PDF in which each page shows a picture."""
    picture = b"BI /W 2 /H 2 /BPC 8 /CS /G ID \x00\xff\xff\x00 EI"
    return _pdf([b"100 0 0 100 50 50 cm " + picture] * pages, catalogue="/Note (\0)")


def encrypted() -> bytes:
    """A PDF with a password that nobody knows."""
    entries = f"/Filter /Standard /V 1 /R 2 /P -1 /O <{'4f' * 32}> /U <{'55' * 32}>"
    return _pdf([_shown("secret")], trailer=f"/ID [<00> <00>] /Encrypt << {entries} >>")


def form(value: str, comment: str) -> bytes:
    """A PDF with a filled text field and a comment."""
    field = f"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V ({value}) /Rect [9 9 99 20] /P 4 0 R >>"
    note = f"<< /Type /Annot /Subtype /Text /Contents ({comment}) /Rect [9 50 20 60] >>"
    return _pdf(
        [_shown("Application")],
        extra="/Annots [6 0 R 7 0 R]",
        catalogue="/AcroForm << /Fields [6 0 R] >>",
        objects=[field.encode(), note.encode()],
    )


def of_stream(chunk: bytes, times: int) -> bytes:
    """A PDF of one page; the stream that draws it inflates to a chunk, repeated `times` times."""
    packer = zlib.compressobj(9)
    packed = b"".join([*(packer.compress(chunk) for _ in range(times)), packer.flush()])
    content = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    return _file([_CATALOGUE, _pages(1), _FONT, _page(5, ""), content])


def endless() -> bytes:
    """A PDF whose tree of pages is a circle with very many pages."""
    tree = b"<< /Type /Pages /Kids [2 0 R 2 0 R 2 0 R 2 0 R] /Count 2000000000 >>"
    return _file([_CATALOGUE, tree, _FONT, _page(5, ""), _stream(_shown("x"))])


def nested(depth: int) -> bytes:
    """A PDF with arrays in arrays, `depth` deep."""
    deep = b"[" * depth + b"]" * depth
    return _file([_CATALOGUE[:-2] + b"/Deep " + deep + b" >>", _pages(1), _FONT, _page(5, ""), _stream(_shown("deep"))])


_CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def _shown(page: str) -> bytes:
    escaped = page.translate({ord(character): f"\\{character}" for character in "\\()"}).encode("cp1252")
    lines = escaped.split(b"\n")
    return b"BT /F 12 Tf 14 TL 50 750 Td " + b" T* ".join(b"(%s) Tj" % line for line in lines) + b" ET"


def _pages(count: int) -> bytes:
    kids = " ".join(f"{4 + number * 2} 0 R" for number in range(count))
    return f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode()


def _page(content: int, extra: str) -> bytes:
    box = "/MediaBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> >>"
    return f"<< /Type /Page /Parent 2 0 R {box} /Contents {content} 0 R {extra} >>".encode()


def _stream(data: bytes) -> bytes:
    packed = zlib.compress(data)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


def _pdf(
    contents: Sequence[bytes], extra: str = "", catalogue: str = "", trailer: str = "", objects: Sequence[bytes] = ()
) -> bytes:
    made = [_CATALOGUE[:-2] + catalogue.encode() + b" >>", _pages(len(contents)), _FONT]
    for number, content in enumerate(contents):
        made += [_page(5 + number * 2, extra), _stream(content)]
    return _file([*made, *objects], trailer)


def _file(objects: Sequence[bytes], trailer: str = "") -> bytes:
    data = bytearray(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(data)


def paragraph(text: str, style: str = "", listed: tuple[int, int] | None = None) -> str:
    """A paragraph of Word; `listed` is the list that it belongs to, and its level from 0."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if listed is not None:
        properties += f'<w:numPr><w:ilvl w:val="{listed[1]}"/><w:numId w:val="{listed[0]}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: Sequence[str]) -> str:
    """A table of Word."""
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Heading2"><w:name w:val="heading 2"/></w:style>
<w:style w:styleId="Own"><w:name w:val="My heading"/><w:basedOn w:val="Heading2"/></w:style>
<w:style w:styleId="Normal"><w:name w:val="Normal"/></w:style>
</w:styles>"""

NUMBERING = f"""<w:numbering xmlns:w="{W}">
<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
</w:numbering>"""


def docx(*blocks: str, before: str = "", **parts: str) -> bytes:
    """A DOCX with these blocks as its body; `before` precedes the root; `parts` are further members, by name."""
    body = f'{before}<w:document xmlns:w="{W}"><w:body>{"".join(blocks)}</w:body></w:document>'
    return zipped({"word/document.xml": body, "word/styles.xml": STYLES, "word/numbering.xml": NUMBERING, **parts})


def zipped(members: dict[str, str]) -> bytes:
    """A ZIP archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def bomb(chunks: int) -> bytes:
    """A DOCX whose body inflates to `chunks` MiB within one paragraph."""
    file = io.BytesIO()
    archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
    with archive, archive.open("word/document.xml", "w", force_zip64=True) as member:
        member.write(f'<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>'.encode())
        for _ in range(chunks):
            member.write(b"a" * (1 << 20))
        member.write(b"</w:t></w:r></w:p></w:body></w:document>")
    return file.getvalue()
