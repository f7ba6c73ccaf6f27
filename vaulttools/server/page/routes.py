"""Answers the requests of browsers for pages."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from threading import Event
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qs, quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from vaulttools import tools
from vaulttools.core import paths
from vaulttools.core.folding.identity import identity
from vaulttools.errors import BadArgument, Cancelled, PathNotFound, VaultToolsError
from vaulttools.notes import task_list
from vaulttools.server.application import FAILED, FIRST, LOGIN
from vaulttools.server.callers import LASTS_SECONDS, cookie_name
from vaulttools.server.calls import Busy
from vaulttools.server.page import neighbourhood, reading, searching, start, templates, vault_map
from vaulttools.server.page.addresses import Addresses, Mode
from vaulttools.server.page.asking import ask, said
from vaulttools.server.page.health import health
from vaulttools.server.page.rendering import parts
from vaulttools.server.page.rendering.note import Rendering
from vaulttools.server.page.templates import HEADERS
from vaulttools.server.page.vault_notes import VaultNotes
from vaulttools.server.service import NoSuchVault, Service
from vaulttools.tools.query import QueryAnswer
from vaulttools.tools.tags import TagsAnswer
from vaulttools.tools.tasks import TaskFound, TasksAnswer
from vaulttools.vault import Vault

_logger = logging.getLogger(__name__)

_EXAMPLE: Final = {"tool": "query", "arguments": '{"query": "What comes next?"}'}
"""The initial call on the assistant page: every vault can answer it."""

_FORM_BYTES: Final = 10_000
"""Bytes of the largest form that is accepted."""

_FORM_FIELDS: Final = 10
"""Most fields of a form; ours have three."""

_PAGES: Final = 1_000
"""Upper bound of the page number of results."""

_BUSY_SECONDS: Final = 3
"""Seconds until a browser asks again by itself, with or without scripts."""

_THEME_SECONDS: Final = 365 * 24 * 3_600
"""Seconds that a browser keeps the chosen colours."""

_TAGS: Final = 2_000
_TASKS: Final = 100
_RELATED: Final = 8
"""Entries on one page; likewise `_TAGS` and `_TASKS`."""

_TASK_FIELDS: Final = ("status", "text", "tags", "folder", "priority", "due")
"""The fields of the form of tasks."""

_DUE: Final[Mapping[str, Mapping[str, Any]]] = {
    "overdue": {"overdue": True},
    "today": {"due_after": "today", "due_before": "tomorrow"},
    "week": {"due_before": "next week"},
    "none": {"no_due": True},
}
"""The arguments of `tasks` for each choice of the field `due`."""


def routes(service: Service) -> Sequence[BaseRoute]:
    """Returns the routes of the pages, for `/ui` of one vault and for `/v/NAME/ui` of each."""
    pages = PageEndpoints(service)
    return [
        Route("/", pages.of_vault(_search, _search_refused)),
        Route("/results", pages.of_vault(_search, _search_refused)),
        Route("/note/{path:path}", pages.of_vault(_note)),
        Route("/preview/{path:path}", pages.of_vault(_preview)),
        Route("/related/{path:path}", pages.of_vault(_related)),
        Route("/folder/{path:path}", pages.of_vault(_folder)),
        Route("/map/{path:path}", pages.of_vault(_map)),
        Route("/map-drawing/{path:path}", pages.of_vault(_map_drawing)),
        Route("/nearby/{path:path}", pages.of_vault(_nearby)),
        Route("/tags", pages.of_vault(_tags)),
        Route("/tasks", pages.of_vault(_tasks, _tasks_refused)),
        Route("/health", pages.of_vault(_health)),
        Route("/assistant", pages.of_vault(_assistant)),
        Route("/progress", pages.of_vault(_progress, is_quick=True)),
        Route("/static/diagram", _diagram),
        Route("/static/{name:path}", _static),
        Route("/login", pages.login_form),
        Route("/login", pages.login, methods=["POST"]),
        Route("/logout", pages.logout, methods=["POST"]),
        Route("/theme", _theme, methods=["POST"]),
        Route("/{path:path}", pages.of_vault(_no_such_page)),
    ]


Frame: TypeAlias = dict[str, Any]
"""Values that every page of a vault gets: its surroundings, and `addresses`."""


def _search(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the results of a search; without a query the start page."""
    addresses: Addresses = frame["addresses"]
    query, mode = _searched(request)
    template = _search_template(request)
    if not query.strip():
        shown = None if template == _NAMES_ALONE else start.start_page(vault, cancel)
        return templates.page(request, template, **frame, query="", mode=mode, start=shown, error="")
    limit = _number(request, "limit", searching.NOTES, searching.MOST_NOTES)
    names_only = template == _NAMES_ALONE
    found = searching.results(vault, addresses, query, mode, limit, cancel, names_only=names_only)
    first_new = len(found.found) + 1
    more = f"{addresses.search(query, mode)}&limit={found.more}#result-{first_new}" if found.more else ""
    assistant = addresses.assistant(found.tool, found.arguments)
    values: dict[str, Any] = {"query": query, "mode": mode, "results": found, "more": more, "assistant": assistant}
    return templates.page(request, template, **frame, **values, start=None, error="")


def _search_refused(request: Request, frame: Frame, error: VaultToolsError) -> Response:
    query, mode = _searched(request)
    return templates.page(
        request, _search_template(request), **frame, query=query, mode=mode, start=None, error=str(error)
    )


def _search_template(request: Request) -> str:
    """The page's script asks for the results without the page around them, or for their names alone."""
    if not request.url.path.endswith("/results"):
        return "search.html"
    return _NAMES_ALONE if "brief" in request.query_params else "found.html"


_NAMES_ALONE: Final = "suggested.html"


def _searched(request: Request) -> tuple[str, Mode]:
    return request.query_params.get("q", ""), searching.mode_of(request.query_params.get("mode", ""))


def _note(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show a note, or another file."""
    addresses: Addresses = frame["addresses"]
    name = request.path_params["path"]
    at = request.query_params.get("at", "")
    line = _number(request, "line", 0, 10_000_000) or None
    if line is not None and (card := reading.address_in_canvas(vault, addresses, name, line, cancel)):
        return RedirectResponse(card, 303, HEADERS)
    chosen = parts.chosen(request.query_params)
    page = reading.page(vault, addresses, name, at, line, chosen, cancel)
    if page.path != name and paths.unshown(page.path) != paths.unshown(name):
        return RedirectResponse(addresses.note(page.path, at=at, line=line), 303, HEADERS)
    diagrams = templates.diagram_address() if page.html and "n-mermaid" in page.html else ""
    return templates.page(request, "note.html", **frame, page=page, diagrams=diagrams)


def _preview(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the beginning of a note, for the script that displays it beside a link."""
    line = _number(request, "line", 0, 10_000_000) or None
    at = request.query_params.get("at", "")
    path, html = reading.preview(vault, frame["addresses"], request.path_params["path"], at, line, cancel)
    return templates.page(request, "preview.html", path=path, html=html)


def _related(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the notes that are similar to one; the page's script asks for the list alone."""
    name = request.path_params["path"]
    answer: QueryAnswer = ask(vault, "query", {"like": name, "limit": _RELATED}, cancel)
    template = "related_list.html" if "bare" in request.query_params else "related.html"
    return templates.page(request, template, **frame, path=name, answer=answer)


def _tags(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show all tags."""
    answer: TagsAnswer = ask(vault, "tags", {"limit": _TAGS}, cancel)
    by_name = sorted(answer.tags, key=lambda each: identity(each.tag).split("/"))
    return templates.page(
        request, "tags.html", **frame, tags=by_name, answer=answer, notices=said(answer, "tags", found=bool(by_name))
    )


def _tasks(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the tasks that the form asks for."""
    form, arguments = _task_form(request)
    answer: TasksAnswer = ask(vault, "tasks", arguments, cancel)
    addresses: Addresses = frame["addresses"]
    next_page = urlencode({**form, "page": answer.next_page})
    more = "" if answer.next_page is None else f"{addresses.base}/tasks?{next_page}"
    values: dict[str, Any] = {"answer": answer, "more": more, "assistant": addresses.assistant("tasks", arguments)}
    today = vault.session.calendar.today().isoformat()
    rendering = Rendering(VaultNotes(vault, cancel), addresses)
    values["rows"] = [_task_row(task, rendering, today) for task in answer.tasks]
    return templates.page(request, "tasks.html", **frame, **values, form=form, error="")


def _tasks_refused(request: Request, frame: Frame, error: VaultToolsError) -> Response:
    return templates.page(request, "tasks.html", 400, **frame, form=_task_form(request)[0], error=str(error))


def _task_form(request: Request) -> tuple[dict[str, str], dict[str, Any]]:
    """Returns the fields of the form, and the arguments of `tasks` for them."""
    form = {name: request.query_params.get(name, "") for name in _TASK_FIELDS}
    given: dict[str, Any] = {name: value.strip() for name, value in form.items() if value.strip()}
    due = _DUE.get(given.pop("due", ""), {})
    if "tags" in given:
        given["tags"] = given["tags"].split()
    return form, {**given, **due, "limit": _TASKS, "page": _number(request, "page", 1, _PAGES)}


def _task_row(task: TaskFound, rendering: Rendering, today: str) -> dict[str, Any]:
    """Returns what is shown of a task: its text without markup, its place, and its dates and the like."""
    name = paths.title(task.path)
    is_overdue = task_list.is_overdue(task.status, task.due, today)
    names = ("scheduled", "start", "done", "cancelled")
    dates = [f"{each} {value}" for each in names if (value := getattr(task, each))]
    priority = [] if task.priority is None else [f"{task.priority} priority"]
    return {
        "task": task,
        "text": Markup(rendering.passage(task.path, task.text)).striptags(),  # noqa: S704 - it is escaped again
        "place": " › ".join([name, *searching.below(name, task.heading)]),
        "due": "" if task.due is None else f"due {task.due}{', overdue' if is_overdue else ''}",
        "is_overdue": is_overdue,
        "facts": [*dates, *priority, *([] if task.recurrence is None else [task.recurrence])],
    }


def _health(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the possible problems of the vault."""
    return templates.page(request, "health.html", **frame, sections=health(vault, frame["addresses"], cancel))


def _assistant(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the text that a tool returns to a model."""
    tool = request.query_params.get("tool", "")
    given = request.query_params.get("arguments", "")
    values = {**frame, "tools": tools.NAMES, "tool": tool, "arguments": given or "{}"}
    if not tool:
        return templates.page(request, "assistant.html", **{**values, **_EXAMPLE}, result=None)
    return templates.page(
        request, "assistant.html", **values, result=vault.call(tool, _arguments(given), cancel=cancel)
    )


def _folder(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the notes of a folder."""
    found = start.folder(vault, request.path_params["path"], cancel)
    return templates.page(request, "folder.html", **frame, found=found, most=start.FOLDER)


def _map(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the folders, notes and links of a folder, or of the whole vault."""
    found = vault_map.vault_map(vault, request.path_params["path"], cancel)
    return templates.page(request, "map.html", **frame, map=found, most=vault_map.DRAWN)


def _map_drawing(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Returns the data of the map, for the script that draws it."""
    drawing = vault_map.vault_map(vault, request.path_params["path"], cancel).drawing()
    return Response(json.dumps(drawing, separators=(",", ":")), media_type="application/json", headers=HEADERS)


def _nearby(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Show the notes within two links of one."""
    path = request.path_params["path"]
    picture, summaries = neighbourhood.nearby(vault, frame["addresses"], path, cancel)
    return templates.page(request, "nearby.html", **frame, path=path, picture=picture, summaries=summaries)


def _no_such_page(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Report a page that does not exist below `/ui/`, or add the missing last slash of a folder's page."""
    if request.path_params["path"] in ("folder", "map"):
        return RedirectResponse(f"{frame['base']}/{request.path_params['path']}/", 308, HEADERS)
    return _not_found(request, frame, "There is no such page.")


def _progress(request: Request, frame: Frame, vault: Vault, cancel: Event) -> Response:
    """Returns the state of the index, for the script that shows it."""
    return JSONResponse(frame["indexing"], headers=HEADERS)


def _indexing(vault: Vault) -> dict[str, Any] | None:
    """Returns the state of an unfinished index: a sentence, and the share that is done; None if it is complete."""
    if vault.is_ready:
        return None
    progress = vault.index_progress
    if progress is None:
        return {"sentence": "Indexing begins.", "share": 0.0}
    return {"sentence": progress.sentence, "share": round(progress.share, 3)}


def _not_shown(request: Request, frame: Frame, error: VaultToolsError) -> Response:
    if isinstance(error, PathNotFound):
        return _not_found(request, frame, str(error))
    return _explained(request, frame, 400, "Not shown", str(error))


def _not_found(request: Request, frame: Frame, sentence: str) -> Response:
    """Show that a page does not exist, with a search for its name."""
    wanted = paths.title(request.path_params.get("path", "").rstrip("/"))
    return _explained(request, frame, 404, "Not found", sentence, wanted)


def _explained(request: Request, frame: Frame, status: int, heading: str, sentence: str, wanted: str = "") -> Response:
    """Show why there is no page, with links to others."""
    values = {"heading": heading, "sentence": sentence, "wanted": wanted}
    return templates.page(request, "not_shown.html", status, **frame, **values)


class PageEndpoints:
    """The pages of the vaults of one server."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def of_vault(
        self,
        fill: Callable[[Request, Frame, Vault, Event], Response],
        refused: Callable[[Request, Frame, VaultToolsError], Response] = _not_shown,
        *,
        is_quick: bool = False,
    ) -> Callable[[Request], Awaitable[Response]]:
        """Returns an endpoint that fills a page in the thread that runs the tools. `refused` makes the page if a tool
        refuses; `is_quick`: it takes a few milliseconds at most."""

        async def answered(request: Request) -> Response:
            frame: Frame = {}

            def filled(vault: Vault, cancel: Event) -> Response:
                frame["indexing"] = _indexing(vault)
                return fill(request, frame, vault, cancel)

            try:
                frame |= self._frame(request)
                return await self._service.run(request, filled, is_quick=is_quick)
            except NoSuchVault as error:
                return self._vaults(request, error)
            except Busy as error:
                response = _message(request, "Busy", str(error), 503)
                response.headers["Refresh"] = str(_BUSY_SECONDS)
                return response
            except Cancelled:
                return PlainTextResponse("The browser has gone", 499)
            except VaultToolsError as error:
                return refused(request, frame, error)
            except Exception:
                _logger.exception("A page failed")
                return _explained(request, frame, 500, "Failed", f"{FAILED}.")

        return answered

    async def login_form(self, request: Request) -> Response:
        """Show the form for the token."""
        return templates.page(request, "login.html", to=_return_address(request.query_params.get("to", "")), error="")

    async def login(self, request: Request) -> Response:
        """Check the token of the form, and set a cookie that represents it."""
        form = await form_of(request)
        token, to = form.get("token", ""), _return_address(form.get("to", ""))
        if not token or self._service.callers.of(token) is None:
            return templates.page(request, "login.html", 401, to=to, error="This token is not known.")
        return _with_cookie(request, to, cookie_name(request.scope), self._service.logins.begin(token), LASTS_SECONDS)

    async def logout(self, request: Request) -> Response:
        """Forget the login."""
        self._service.logins.end(request.cookies.get(cookie_name(request.scope)))
        response = RedirectResponse(LOGIN, 303, HEADERS)
        response.delete_cookie(cookie_name(request.scope), httponly=True, samesite="strict")
        return response

    def _frame(self, request: Request) -> Frame:
        """Returns the values for the surroundings of each page, and the addresses of its vault.

        Raises:
            NoSuchVault: the request names no vault.
        """
        named = request.path_params.get("vault")
        addresses = Addresses("" if named is None else f"/v/{quote(named, safe='')}")
        return {
            "addresses": addresses,
            "base": addresses.base,
            "vault_name": self._service.vault_name(request),
            "indexing": None,
            "is_logged_in": self._service.logins.token(request.cookies.get(cookie_name(request.scope))) is not None,
        }

    def _vaults(self, request: Request, error: NoSuchVault) -> Response:
        """List the vaults to choose from if the request names none; say so if it names an unknown one."""
        caller = self._service.caller(request)
        names = caller.vaults.names if caller is not None else ()
        links = [(f"/v/{quote(name, safe='')}/ui/", name) for name in names]
        if "vault" in request.path_params:
            return _message(request, "Not found", str(error), 404, links)
        return _message(request, "Vaults", "", 200, links)


def _message(
    request: Request, heading: str, sentence: str, status: int, links: Sequence[tuple[str, str]] = ()
) -> Response:
    return templates.page(request, "message.html", status, heading=heading, sentence=sentence, links=links)


async def _theme(request: Request) -> Response:
    """Keep the chosen colours in a cookie: they then need no script, and no page first appears in other colours."""
    form = await form_of(request)
    to, chosen = _return_address(form.get("to", "")), form.get("theme", "")
    if chosen not in templates.THEMES:
        return RedirectResponse(to, 303, HEADERS)
    return _with_cookie(request, to, templates.THEME_COOKIE, chosen, _THEME_SECONDS)


def _with_cookie(request: Request, to: str, name: str, value: str, seconds: int) -> Response:
    """Lead to another page, with a cookie that no script and no other site can use."""
    response = RedirectResponse(to, 303, HEADERS)
    is_secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, secure=is_secure, httponly=True, samesite="strict")
    return response


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in templates.assets():
        return PlainTextResponse("Not found", 404, HEADERS)
    headers = {**HEADERS, **templates.KEPT}
    return Response(templates.asset(name), media_type=templates.assets()[name], headers=headers)


async def _diagram(_: Request) -> Response:
    text, headers = templates.diagram()
    return HTMLResponse(text, headers=headers)


async def form_of(request: Request) -> dict[str, str]:
    """Returns the fields of a form; an empty mapping if it is too long, or has too many fields."""
    body = await request.body()  # the guard bounds it
    if len(body) > _FORM_BYTES or body.count(b"&") >= _FORM_FIELDS:
        return {}
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


def _return_address(given: str) -> str:
    """Returns the page of ours from which the browser came to the login; otherwise the first page."""
    is_ours = given.startswith(("/ui/", "/v/")) and "\\" not in given and "//" not in given
    return given if is_ours else FIRST


def _number(request: Request, name: str, default: int, most: int) -> int:
    """Returns a number from the address, between 1 and `most`; the default if it is missing or invalid."""
    given = request.query_params.get(name, "")
    return min(max(int(given), 1), most) if given.isascii() and given.isdigit() and len(given) < 10 else default


def _arguments(given: str) -> dict[str, Any]:
    try:
        arguments = json.loads(given or "{}")
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"The arguments are not valid JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise BadArgument('The arguments must be a JSON object, such as {"query": "lease"}')
    return arguments
