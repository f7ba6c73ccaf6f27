"""Exports pydantic's names for declaring requests and answers, or stand-ins for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaulttools import plain_models

if TYPE_CHECKING or not plain_models.are_wanted():
    from pydantic import (
        AfterValidator,
        BaseModel,
        BeforeValidator,
        ConfigDict,
        Field,
        SkipValidation,
        ValidationError,
        ValidationInfo,
        WithJsonSchema,
    )
else:
    from vaulttools.plain_models import (
        AfterValidator,
        BaseModel,
        BeforeValidator,
        ConfigDict,
        Field,
        SkipValidation,
        ValidationError,
        ValidationInfo,
        WithJsonSchema,
    )

__all__ = [
    "AfterValidator",
    "BaseModel",
    "BeforeValidator",
    "ConfigDict",
    "Field",
    "SkipValidation",
    "ValidationError",
    "ValidationInfo",
    "WithJsonSchema",
]
