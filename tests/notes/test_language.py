"""The language of notes and of questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.notes import language

PROSE = [
    ("en", "Notes are stored as plain text files. You can open them in any editor, and they are yours."),
    ("de", "Notizen werden als Textdateien gespeichert. Du kannst sie mit jedem Editor öffnen, und sie gehören dir."),
    ("fr", "Les notes sont enregistrées dans des fichiers. Vous pouvez les ouvrir avec un éditeur."),
    ("es", "Las notas se guardan en archivos de texto. Puedes abrirlas con cualquier editor y son tuyas."),
    ("pt", "As notas são guardadas em arquivos de texto. Você pode abrir com um editor, e não são de outros."),
    ("it", "Le note sono salvate in file di testo. Si possono aprire con un editor, e sono tue per sempre."),
    ("nl", "Notities worden als tekst bewaard. Je kan ze met een editor openen, en ze zijn van jou."),
    ("sv", "Anteckningar sparas som textfiler. Du kan öppna dem med en editor, och de är inte låsta."),
    ("cs", "Poznámky se ukládají do souborů, které můžete otevřít v editoru, když je to potřeba, a jsou vaše."),
    ("hu", "A jegyzetek szövegfájlok, és egy szerkesztővel is meg lehet nyitni, ha ez kell, de nem muszáj."),
    ("tr", "Notlar bir metin dosyası olarak saklanır ve her düzenleyici ile açılır, bu çok kolay ve daha iyi."),
    ("vi", "Ghi chú được lưu trong các tệp văn bản và bạn có thể mở với một trình soạn thảo khi cần."),
    ("ru", "Заметки хранятся как текст. Их можно открыть в любом редакторе, и они ваши."),
    ("uk", "Нотатки зберігаються як текст. Їх можна відкрити в редакторі, якщо це треба, і вони ваші."),
    ("el", "Οι σημειώσεις αποθηκεύονται ως αρχεία κειμένου."),
    ("he", "ההערות נשמרות כקובצי טקסט."),
    ("ar", "يتم حفظ الملاحظات كملفات نصية."),
    ("fa", "یادداشت‌ها به‌صورت پرونده‌های متنی ذخیره می‌شوند و گزینه‌ها را می‌توان گشود."),
    ("ja", "ノートはテキストファイルとして保存されます。"),
    ("zh", "笔记会保存为文本，这些文件可以在任何编辑器里打开。"),
    ("zh-hant", "筆記會儲存為文字，這些檔案可以在任何編輯器裡開啟。"),
    ("ko", "노트는 텍스트 파일로 저장됩니다."),
    ("th", "บันทึกจะถูกเก็บเป็นไฟล์ข้อความ"),
]


@pytest.mark.parametrize(("name", "text"), PROSE, ids=[name for name, _ in PROSE])
def test_prose_shows_its_language(name: str, text: str) -> None:
    assert language.of(text) == name
    assert name in language.LANGUAGES
    assert name in language.of_question(text)


@pytest.mark.parametrize("text", ["", "Anna, Bert, Clara\nDora, Emil", "| 1 | 2 |", "x = y + 1", "galena ore"])
def test_a_text_without_prose_has_no_known_language(text: str) -> None:
    assert language.of(text) == language.UNKNOWN


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How do I sync two vaults?", "en"),
        ("Wie synchronisiere ich zwei Vaults?", "de"),
        ("graph view", ""),
        ("如何使用附件？", "zh zh-hant"),
        ("怎样设置？", "zh"),
        ("Синхронизация", "ru uk"),
        ("Obsidian のグラフビューはどこ？", "ja"),
        ("note de la page", "ca es fr ro"),
    ],
)
def test_a_question_may_be_in_several_languages(question: str, names: str) -> None:
    assert sorted(language.of_question(question)) == names.split()


def test_names_and_code_in_latin_letters_do_not_hide_the_script() -> None:
    assert language.of("Obsidian Sync と iCloud Drive を同時に使わないでください。") == "ja"
    assert language.of("The word 日本 is Japanese, and it is the only one in this text that is not.") == "en"


@pytest.mark.parametrize(
    ("written", "asked", "is_other"),
    [
        ({"de"}, {"en"}, True),
        ({"de", "fr"}, {"en", "sv"}, True),
        ({"de", "en"}, {"en", "sv"}, False),
        ({"de", language.UNKNOWN}, {"en"}, False),
        ({"de"}, set(), False),
    ],
)
def test_notes_that_share_no_language_with_the_question_are_foreign(
    written: set[str], asked: set[str], is_other: bool
) -> None:
    assert language.is_other(written, asked) == is_other


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_words_are_runs_of_letters(text: str) -> None:
    assert language._runs(text) == language._WORD.findall(text.lower())
