"""Declares the method of each tool; `docs/generate.py` writes this file from the registry."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from threading import Event
from typing import Any, Literal

from vaulttools.answers.shown_lines import FileStream
from vaulttools.tools.base import BaseAnswer
from vaulttools.tools.context import ContextAnswer
from vaulttools.tools.find import FindAnswer
from vaulttools.tools.grep import GrepAnswer
from vaulttools.tools.links import LinksAnswer
from vaulttools.tools.outline import OutlineAnswer
from vaulttools.tools.properties import PropertiesAnswer
from vaulttools.tools.query.answers import QueryAnswer
from vaulttools.tools.read import ReadAnswer
from vaulttools.tools.sample import SampleAnswer
from vaulttools.tools.scout import ScoutAnswer
from vaulttools.tools.search import SearchAnswer
from vaulttools.tools.search_files import SearchFilesAnswer
from vaulttools.tools.show import ShowAnswer
from vaulttools.tools.survey import SurveyAnswer
from vaulttools.tools.tags import TagsAnswer
from vaulttools.tools.tasks import TasksAnswer

class ToolMethods(ABC):
    """The tools of the registry as methods; `Vault` says how one is run."""

    @abstractmethod
    def answer(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> Any: ...
    @abstractmethod
    def stream(self, name: str, arguments: Mapping[str, Any], *, cancel: Event | None = None) -> FileStream: ...
    def search_files(
        self,
        pattern: str,
        *,
        file_pattern: str | PathLike[str] | None = None,
        context_lines: int = 2,
        max_results: int = 10,
        max_per_file: int = 5,
        output: Literal["excerpts", "paths", "counts"] = "excerpts",
        columns: str | list[str] | None = None,
        case_sensitive: bool = True,
        fixed: bool = False,
        within: Literal["anywhere", "body", "frontmatter", "headings", "code", "tasks", "comments"] | None = None,
        tags: str | list[str] | None = None,
        properties: dict[str, str | None] | None = None,
        modified_after: str | None = None,
        modified_before: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        sort: Literal["path", "modified", "matches"] = "path",
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> SearchFilesAnswer:
        """Search the contents of notes with a regular expression: see `docs/tools/search_files.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            pattern: Regular expression, line by line.
            file_pattern: Glob: `Projects/**`, `{Daily,Weekly}/*.md`. Default: every note.
            context_lines: Lines around a match. (a whole number from 0 to 20; default 2)
            max_results: Files shown. (a whole number from 1 to 10,000; default 10)
            max_per_file: Excerpts of one file. (a whole number from 1 to 10,000; default 5)
            output: Excerpts, paths alone, or counts of matching lines. (one of excerpts, paths, counts; default excerpts)
            columns: Properties shown beside each path: `["status"]`.
            case_sensitive: Whether case counts. (default true)
            fixed: The pattern is plain text. (default false)
            within: Only matches in this part of a note. (one of anywhere, body, frontmatter, headings, code, tasks, comments)
            tags: All of these, nested ones too: `work`.
            properties: `{"status": "active"}`; null: present and empty.
            modified_after: From: `2026-11`, `last week`, `7d` (ago).
            modified_before: Before this date.
            created_after: From then on.
            created_before: Before this date.
            sort: By path, newest or most first. (one of path, modified, matches; default path)
            include_excluded: Excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def search(
        self,
        pattern: str,
        paths: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
        *,
        i: bool = False,
        gitignore: bool = True,
        skip: int = 0,
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> SearchAnswer:
        """Search files, folders, globs, archive members and internal URLs with a regular expression: see `docs/tools/search.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            pattern: Regular expression to search for (Rust syntax, as ripgrep runs it).
            paths: Files, folders, globs, `archive.zip:member`, internal URLs or `[[links]]`; one file may carry a line range: `note.md:50-100`. Default: the whole vault.
            i: Ignore upper and lower case. (default false)
            gitignore: Leave out what ignore files name. (default true)
            skip: Matching files to skip: the next page. (a whole number, 0 or more; default 0)
            include_excluded: Search the vault's excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def find(
        self,
        paths: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        hidden: bool = True,
        gitignore: bool = True,
        modified_after: str | None = None,
        modified_before: str | None = None,
        limit: int = 200,
        timeout: float = 5.0,
        include_excluded: bool = False,
        sort: Literal["modified", "-modified", "note_date", "-note_date"] = "modified",
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> FindAnswer:
        """Find files and folders by glob, newest first: see `docs/tools/find.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            paths: Globs, files or folders.
            hidden: Hidden names too. (default true)
            gitignore: Leave out what ignore files name. (default true)
            modified_after: From: `2026-11`, `last week`, `7d` (ago).
            modified_before: Before this date.
            limit: Paths, 200 at most. (a whole number, 1 or more; default 200)
            timeout: Seconds, 0.5 to 60. (a number, 0 or more; default 5.0)
            include_excluded: Excluded files too. (default false)
            sort: Newest first; note_date: by the note's date. - reverses. (one of modified, -modified, note_date, -note_date; default modified)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def grep(
        self,
        pattern: str,
        path: str | PathLike[str] | None = None,
        *,
        glob: str | PathLike[str] | None = None,
        context_lines: int = 0,
        max_results: int = 50,
        gitignore: bool = True,
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> GrepAnswer:
        """Print matching lines as file:line: text: see `docs/tools/grep.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            pattern: Regular expression to search for (Rust syntax, as ripgrep runs it).
            path: A file or folder. Default: the whole vault.
            glob: Only files that this glob selects: `*.md`.
            context_lines: Lines shown before and after each matching line. (a whole number from 0 to 20; default 0)
            max_results: Matching lines shown. (a whole number from 1 to 10,000; default 50)
            gitignore: Leave out what ignore files name. (default true)
            include_excluded: Search the vault's excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def survey(
        self,
        terms: str | list[str],
        paths: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
        *,
        mode: Literal["fixed", "identifier", "word"] = "fixed",
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> SurveyAnswer:
        """Compare several words and folders by how often they match: see `docs/tools/survey.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            terms: Words to compare, each plain text, 1 to 12.
            paths: Files and folders, at most 8. Default: the whole vault.
            mode: What a term matches: the text anywhere, between ASCII identifier boundaries, or as a whole word. (one of fixed, identifier, word; default fixed)
            include_excluded: Search the vault's excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def scout(
        self,
        query: str,
        path: str | PathLike[str] = ".",
        *,
        mode: Literal["fixed", "identifier", "word", "regex"] = "fixed",
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ScoutAnswer:
        """Show in which folders and files one word matches most: see `docs/tools/scout.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            query: One word or phrase, plain text unless mode is regex.
            path: A folder or file. Default: the whole vault. (default .)
            mode: What the query matches: the text anywhere, between ASCII identifier boundaries, as a whole word, or as a regular expression without alternatives (no unescaped |). (one of fixed, identifier, word, regex; default fixed)
            include_excluded: Search the vault's excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def sample(
        self,
        query: str,
        file: str | PathLike[str],
        *,
        mode: Literal["fixed", "identifier", "word", "regex"] = "fixed",
        clusters: int = 3,
        page: int = 1,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> SampleAnswer:
        """Page through the clusters of matching lines in one file: see `docs/tools/sample.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            query: One word or phrase, plain text unless mode is regex.
            file: The file to look into.
            mode: What the query matches: the text anywhere, between ASCII identifier boundaries, as a whole word, or as a regular expression without alternatives (no unescaped |). (one of fixed, identifier, word, regex; default fixed)
            clusters: Clusters of one page. (a whole number from 1 to 5; default 3)
            page: The page to show, from 1. (a whole number, 1 or more; default 1)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def show(
        self,
        query: str,
        file: str | PathLike[str],
        *,
        mode: Literal["fixed", "identifier", "word", "regex"] = "fixed",
        line: int | None = None,
        context: int = 2,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ShowAnswer:
        """Show the matching lines of one file, or the lines around one of them: see `docs/tools/show.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            query: One word or phrase, plain text unless mode is regex.
            file: The file to read.
            mode: What the query matches: the text anywhere, between ASCII identifier boundaries, as a whole word, or as a regular expression without alternatives (no unescaped |). (one of fixed, identifier, word, regex; default fixed)
            line: Show the lines around this one, from 1, instead of every match; it need not match itself. (a whole number, 1 or more)
            context: Lines shown before and after. (a whole number from 0 to 5; default 2)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def query(
        self,
        query: str | None = None,
        *,
        also: str | list[str] | None = None,
        like: str | PathLike[str] | None = None,
        unlinked: bool = False,
        mode: Literal["ranked", "obsidian"] = "ranked",
        folder: str | PathLike[str] | None = None,
        glob: str | PathLike[str] | None = None,
        tags: str | list[str] | None = None,
        properties: dict[str, str | None] | None = None,
        modified_after: str | None = None,
        modified_before: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int = 10,
        max_chars: int = 3000,
        page: int = 1,
        sort: Literal["relevance", "name", "-name", "modified", "-modified", "created", "-created"] | None = None,
        match_case: bool = False,
        explain: bool = False,
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> QueryAnswer:
        """Find the notes that answer a question, or by Obsidian's search language: see `docs/tools/query.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            query: A question or words; in mode obsidian a query of its language.
            also: Two or three other wordings of the question: synonyms, concrete terms, a likely title, the notes' other language. Send them with every question: they find a third more.
            like: Instead of query: notes like this one, or `note#heading`.
            unlinked: With like: only notes not linked with it. (default false)
            mode: ranked: the best passages. obsidian: exactly what Obsidian finds. (one of ranked, obsidian; default ranked)
            folder: Only in this folder: `Projects`.
            glob: Only what this glob selects: `Daily/**`.
            tags: All of these, nested ones too: `work`.
            properties: `{"status": "active"}`; null: present and empty.
            modified_after: From: `2026-11`, `last week`, `7d` (ago).
            modified_before: Before this date.
            created_after: From then on.
            created_before: Before this date.
            limit: Notes on a page. (a whole number from 1 to 10,000; default 10)
            max_chars: Characters, in mode ranked. (a whole number from 500 to 50,000; default 3000)
            page: From 1. (a whole number from 1 to 10,000; default 1)
            sort: modified, created: newest first; - reverses. (one of relevance, name, -name, modified, -modified, created, -created)
            match_case: Compare case; in mode obsidian. (default false)
            explain: Say how the query was understood. (default false)
            include_excluded: Excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def context(
        self,
        question: str,
        *,
        also: str | list[str] | None = None,
        max_chars: int = 6000,
        folder: str | PathLike[str] | None = None,
        glob: str | PathLike[str] | None = None,
        tags: str | list[str] | None = None,
        properties: dict[str, str | None] | None = None,
        modified_after: str | None = None,
        modified_before: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ContextAnswer:
        """Gather the passages that answer a question, with what is linked, within a budget: see `docs/tools/context.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            question: In plain words; operators such as tag:#work limit the notes.
            also: Two or three other wordings: synonyms, concrete terms, a likely title, the other language.
            max_chars: Characters of the whole text. (a whole number from 500 to 50,000; default 6000)
            folder: Only in this folder.
            glob: Only what this glob selects.
            tags: All of these, nested ones too: `work`.
            properties: `{"status": "active"}`; null: present and empty.
            modified_after: From: `2026-11`, `last week`, `7d` (ago).
            modified_before: Before this date.
            created_after: From then on.
            created_before: Before this date.
            include_excluded: Excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def read(
        self,
        note: str | PathLike[str] | None = None,
        notes: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
        *,
        start_line: int | None = None,
        end_line: int | None = None,
        start_page: int | None = None,
        end_page: int | None = None,
        heading: str | list[str] | None = None,
        block: str | None = None,
        frontmatter: bool = False,
        max_chars: int = 20000,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> ReadAnswer:
        """Read a note or another text file, whole or in part: see `docs/tools/read.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            note: Path or name: `A/plan.md`, `plan#Tasks`, `plan#^block`, `plan:3-9`, `daily`, `weekly -1`, `a.zip:b.md`; also images, PDF, DOCX.
            notes: Several, at most 20; they share max_chars.
            start_line: First line, from 1. (a whole number, 1 or more)
            end_line: Last line, included. (a whole number, 1 or more)
            start_page: First page of a PDF. (a whole number, 1 or more)
            end_page: Last page, included. (a whole number, 1 or more)
            heading: Its section; nested: `Tasks#Open`.
            block: The block with this id.
            frontmatter: The properties alone. (default false)
            max_chars: Characters shown. (a whole number from 1 to 50,000; default 20000)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def outline(
        self,
        note: str | PathLike[str],
        *,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> OutlineAnswer:
        """List the headings of a note with their lines and sizes: see `docs/tools/outline.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            note: Path or name of a note: `Projects/plan.md`, `plan`, `[[plan]]`; `[[plan#Tasks]]` for the headings of one section. Also a canvas, with its cards as headings, and a DOCX file.
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def links(
        self,
        note: str | PathLike[str] | None = None,
        *,
        direction: Literal["out", "back", "mentions", "unresolved", "orphans"] = "out",
        depth: int = 1,
        folder: str | PathLike[str] | None = None,
        glob: str | PathLike[str] | None = None,
        limit: int = 50,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> LinksAnswer:
        """List the links of a note, to it, or that lead nowhere: see `docs/tools/links.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            note: Path or name; required, except for unresolved and orphans.
            direction: out: links in the note. back: links to it. mentions: its name as plain text. unresolved: links to no file. orphans: notes without backlinks. (one of out, back, mentions, unresolved, orphans; default out)
            depth: 2 or 3: the notes within so many links. (a whole number from 1 to 3; default 1)
            folder: Only in this folder.
            glob: Only what this glob selects.
            limit: Links or notes shown. (a whole number from 1 to 10,000; default 50)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def tags(
        self,
        *,
        name: str | None = None,
        folder: str | PathLike[str] | None = None,
        glob: str | PathLike[str] | None = None,
        limit: int = 50,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> TagsAnswer:
        """List the tags of the notes, with how many notes have each: see `docs/tools/tags.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            name: Only this tag and those nested in it.
            folder: Only in this folder: `Projects`.
            glob: Only what this glob selects: `Daily/**`.
            limit: Tags shown. (a whole number from 1 to 10,000; default 50)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def properties(
        self,
        *,
        name: str | None = None,
        folder: str | PathLike[str] | None = None,
        glob: str | PathLike[str] | None = None,
        limit: int = 50,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> PropertiesAnswer:
        """List the properties of the notes, with their types and values: see `docs/tools/properties.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            name: Only this property, with all its values.
            folder: Only in this folder: `Projects`.
            glob: Only what this glob selects: `Daily/**`.
            limit: Properties or values shown. (a whole number from 1 to 10,000; default 50)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def tasks(
        self,
        *,
        status: str | None = None,
        text: str | None = None,
        due_after: str | None = None,
        due_before: str | None = None,
        overdue: bool = False,
        no_due: bool = False,
        scheduled_after: str | None = None,
        scheduled_before: str | None = None,
        done_after: str | None = None,
        done_before: str | None = None,
        priority: Literal["highest", "high", "medium", "low", "lowest"] | None = None,
        tags: str | list[str] | None = None,
        folder: str | PathLike[str] | None = None,
        glob: str | PathLike[str] | None = None,
        group_by: Literal["note", "heading", "due", "tag", "priority"] | None = None,
        sort: Literal["due", "-due", "priority", "-priority", "path", "-path"] = "due",
        limit: int = 50,
        page: int = 1,
        include_excluded: bool = False,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> TasksAnswer:
        """List the tasks of the notes by status, date, priority and tag: see `docs/tools/tasks.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            status: `open` (or `done` with done_after), `done`, `any`, or the sign in the box.
            text: Text in it, case ignored.
            due_after: From then on: `today`, `+7d`.
            due_before: Before this date.
            overdue: Open, and due before today. (default false)
            no_due: Without a due date. (default false)
            scheduled_after: From then on.
            scheduled_before: Before this date.
            done_after: From then on.
            done_before: Before this date.
            priority: Of this priority. (one of highest, high, medium, low, lowest)
            tags: All of these in its line.
            folder: Only in this folder.
            glob: Only what this glob selects.
            group_by: Show groups. (one of note, heading, due, tag, priority)
            sort: due: overdue first, undated last. - reverses. (one of due, -due, priority, -priority, path, -path; default due)
            limit: Tasks on a page. (a whole number from 1 to 10,000; default 50)
            page: From 1. (a whole number from 1 to 10,000; default 1)
            include_excluded: Excluded files too. (default false)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def base(
        self,
        base: str | PathLike[str] | None = None,
        *,
        where: Any = None,
        view: str | None = None,
        list_views: bool = False,
        this_note: str | PathLike[str] | None = None,
        columns: str | list[str] | None = None,
        sort: str | list[str] | None = None,
        group_by: str | None = None,
        summaries: dict[str, str] | None = None,
        folder: str | PathLike[str] | None = None,
        limit: int | None = None,
        page: int = 1,
        cancel: Event | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> BaseAnswer:
        """Run a view of an Obsidian base, or a query in its language: see `docs/tools/base.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

        Args:
            base: A .base file, or a note with a `base` block.
            where: Only files where it holds: `status == "Final"`; or JSON: {"and": [...]}, "or", "not".
            view: By name. Default: the first.
            list_views: Only list the views. (default false)
            this_note: The note that `this` means.
            columns: Properties or expressions: `file.name` (without .md), `price * 2`.
            sort: Columns; `-due` is from the last to the first.
            group_by: A property; - reverses.
            summaries: By column: {"price": "Sum"}; Average, Min, Max, Range, Median, Filled, Unique.
            folder: Only in this folder: `Projects`.
            limit: Rows of a page. Default: the view's, else 100. (a whole number from 1 to 10,000)
            page: From 1. (a whole number from 1 to 10,000; default 1)
            cancel: Set it from another thread to stop the call.
            on_progress: Called with what has been found so far, where the tool reports progress.
        """

    def iter_search_files(
        self,
        pattern: str,
        *,
        file_pattern: str | PathLike[str] | None = None,
        context_lines: int = 2,
        max_per_file: int = 5,
        output: Literal["excerpts", "paths", "counts"] = "excerpts",
        columns: str | list[str] | None = None,
        case_sensitive: bool = True,
        fixed: bool = False,
        within: Literal["anywhere", "body", "frontmatter", "headings", "code", "tasks", "comments"] | None = None,
        tags: str | list[str] | None = None,
        properties: dict[str, str | None] | None = None,
        modified_after: str | None = None,
        modified_before: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        sort: Literal["path", "modified", "matches"] = "path",
        include_excluded: bool = False,
        cancel: Event | None = None,
    ) -> FileStream:
        """Every file that `search_files` finds, one by one, with its arguments but `max_results`.

        Raises:
            VaultToolsError: with the sentence that `Vault.call` returns.
        """
