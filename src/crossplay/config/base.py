"""What all sections of settings have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(gt=0, le=1)]
# Keys name files and parts of "source--target", so they hold no slash and no double hyphen.
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$")]


class Settings(BaseModel):
    """Base of all sections: unknown keys are refused and values never change after parsing."""

    model_config = ConfigDict(extra="forbid", frozen=True)
