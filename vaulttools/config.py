"""Declares a vault's configuration: keyword arguments, or a table of the user's `vaulttools.toml`.

It is never read from the vault: a sync partner or a prompted model may have written there.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal

from vaulttools.models import BaseModel, BeforeValidator, ConfigDict, Field

PathText = Annotated[str, BeforeValidator(lambda value: os.fspath(value) if isinstance(value, os.PathLike) else value)]
"""A path; a path object counts as its text."""


class VaultConfig(BaseModel):
    """The settings of one vault. Every field has a default that suits an ordinary Obsidian vault."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    protected: tuple[str, ...] = Field((), description="Further protected folders: a name at any depth, or a path.")
    config_folder: PathText | None = Field(None, description="The config folder, if it is not found automatically.")
    hashline: bool = Field(False, description="Whether `search` shows snapshot tags for editors: `# path#TAG`.")
    search_context_before: int = Field(1, ge=0, le=20, description="Lines that `search` shows before a match.")
    search_context_after: int = Field(3, ge=0, le=20, description="Lines that `search` shows after a match.")
    time_limit: float = Field(10.0, gt=0, le=600, description="Seconds one call may take.")
    respect_excluded: bool = Field(True, description="Whether searches leave out the vault's excluded files.")
    locale: str = Field("en", description="Language such as `de` or `en-gb`; decides the first day of weeks.")
    index: Literal["auto", "off"] = Field("auto", description="Whether to keep an index, in the user's cache folder.")
    index_folder: PathText | None = Field(None, description="Folder of the index, outside the vault.")
    meaning: Literal["auto", "off"] = Field(
        "auto", description="Whether ranked `query` also searches by meaning, if the extra `semantic` is installed."
    )
    embedder: str | None = Field(None, description="Address of an endpoint that embeds instead of the extra's models.")
    embedder_model: str | None = Field(None, description="The model's name at that endpoint.")
    embedder_key_variable: str = Field(
        "VAULTTOOLS_EMBEDDER_KEY", description="The environment variable with the endpoint's key."
    )
    rg: PathText | None = Field(None, description="The ripgrep to run; default: VAULTTOOLS_RG, the wheel's, PATH.")
    max_file_size: int = Field(100 * 1024 * 1024, gt=0, description="Files with more bytes are skipped.")
