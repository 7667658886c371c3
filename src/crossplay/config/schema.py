"""The JSON Schema of experiments, made from the settings' models."""

from __future__ import annotations

from typing import Any

import yaml

from crossplay.config.experiment import Experiment


def experiment_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of :class:`Experiment`, references replaced by what they name."""
    schema = Experiment.model_json_schema()
    definitions = schema.pop("$defs")

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rsplit("/", 1)[1]]
            node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        # Titles only repeat the key.
        return {
            key: inline(value) for key, value in node.items() if key != "title" or isinstance(value, dict)
        }

    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **inline(schema)}


def schema_text() -> str:
    """The text of ``config/schema.yaml``."""
    header = "# Made from src/crossplay/config by 'crossplay config schema'; change it there.\n"
    return header + yaml.safe_dump(experiment_schema(), sort_keys=False, width=110, allow_unicode=True)
