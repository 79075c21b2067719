"""Prompts from Jinja templates: the packaged ones, or anyone's own.

A template has a block ``system`` and a block ``user``; one without blocks is the user's turn alone. It runs
in Jinja's sandbox, sees nothing but the task's variables, and cannot read other files.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...embeddings.extras import require
from ...errors import UserError
from .chat import Message

if TYPE_CHECKING:
    from jinja2 import Template

_BLOCKS = ("system", "user")


class Prompt:
    """A task's template.

    Parameters
    ----------
    task
        What the packaged template is called.
    variables
        What the template is given.
    package
        The package in whose folder ``prompts`` the packaged template lies.
    path
        The user's own template; the packaged one by default.
    about
        What one prompt is about, as errors call it.
    option
        How the user names a template.

    Raises
    ------
    UserError
        If the file cannot be read, is not a template, or uses a variable or block that the task lacks.

    """

    def __init__(
        self,
        task: str,
        variables: tuple[str, ...],
        package: str,
        path: str | Path | None = None,
        *,
        about: str,
        option: str = "prompt=",
    ) -> None:
        require("jinja2")
        self.task = task
        self._variables = variables
        self._about = about
        self.own = path is not None
        self.source = f"the packaged template {task}.jinja" if path is None else f"{option}{path}"
        self.text = _packaged(package, task) if path is None else _read(Path(path).expanduser(), self.source)
        self._template = self._checked()

    def messages(self, **variables: Any) -> tuple[Message, ...]:
        """The turns that the template makes of the task's variables; ``structured`` is false by default.

        Raises
        ------
        UserError
            If the template fails, or makes nothing.

        """
        from jinja2 import TemplateError

        if "structured" in self._variables:
            variables = {"structured": False, **variables}
        template = self._template
        context = template.new_context(variables)
        made: list[Message] = []
        try:
            if template.blocks:
                for role in _BLOCKS:
                    if role in template.blocks:
                        text = "".join(template.blocks[role](context)).strip()
                        made.append(Message("system" if role == "system" else "user", text))
            else:
                made.append(Message("user", template.render(variables).strip()))
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            what = " ".join(str(error).split())
            raise UserError(
                f"{self.source} fails on {self._about} ({type(error).__name__}: {what})"
            ) from error
        made = [message for message in made if message.content]
        if not any(message.role == "user" for message in made):
            raise UserError(f"{self.source} makes an empty prompt: write what the model is to be asked")
        return tuple(made)

    def _checked(self) -> Template:
        from jinja2 import StrictUndefined, TemplateError, meta
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )
        try:
            parsed = environment.parse(self.text)
            template = environment.from_string(self.text)
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            where = "" if line is None else f", line {line}"
            raise UserError(f"{self.source}{where} is not a Jinja template: {error}") from error
        known = self._variables
        self.used = frozenset(meta.find_undeclared_variables(parsed))
        if unknown := sorted(self.used - {*known, *environment.globals}):
            raise UserError(
                f"{self.source} uses {unknown[0]}, which this task has not: expected {', '.join(known)}"
            )
        if any(True for _ in meta.find_referenced_templates(parsed)):
            raise UserError(f"{self.source} includes another file, which it may not: write it into one")
        strange = sorted(set(template.blocks) - set(_BLOCKS))
        if strange or (template.blocks and "user" not in template.blocks):
            got = f"a block {strange[0]}" if strange else "no block user"
            raise UserError(f"{self.source} has {got}: expected the blocks system and user, or none")
        return template


def _packaged(package: str, task: str) -> str:
    return (files(package) / "prompts" / f"{task}.jinja").read_text(encoding="utf-8")


def _read(path: Path, source: str) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{source} is not UTF-8 text: save the template as UTF-8") from error
    except OSError as error:
        raise UserError(f"{source} cannot be read ({error.strerror}): name a Jinja template") from error
    if not text.strip():
        raise UserError(f"{source} is empty: write what the model is to be asked")
    return text
