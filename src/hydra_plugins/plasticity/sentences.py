"""Hydra's and OmegaConf's errors, each in one sentence that names the key, the value and what would be right."""

import re
from difflib import get_close_matches

from hydra.errors import MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException, ValidationError
from yaml import YAMLError

KINDS = {"Integer": "a whole number", "Float": "a number", "Boolean": "true or false", "bool": "true or false"}


def sentence(error: BaseException) -> str:
    if isinstance(error, MissingConfigException) and error.options:
        group, _, choice = (error.missing_cfg_file or "").rpartition("/")
        return f"{group}={choice} is not known; choose {', '.join(error.options)}"
    if isinstance(error, OverrideParseException):
        return f"{error.override} cannot be read as KEY=VALUE; quote what has brackets, as in 'seed=range(0,5)'"
    if isinstance(error, YAMLError):
        return not_yaml(error)
    told = str(error)
    if composing := re.match(r"In '(.+?)': \w+ raised while composing config:", told):
        return in_file(composing[1], error)
    if sweep := re.match(r"(?:Ambiguous value for argument|Sweep parameters) '(.+?)'", told):
        return f"{sweep[1]} is several values; python launch/main.py -m runs them all"
    if (merged := re.match(r"Error merging override (\S+?)=(.*)", told)) and "ListConfig" in str(error.__cause__):
        key, value = merged.groups()
        return f"{key}={value} is not possible; it is no list, but has keys of its own, set by {key}.KEY=VALUE"
    cause = error if isinstance(error, OmegaConfBaseException) else error.__cause__
    while isinstance(cause, Exception) and isinstance(cause.__cause__, OmegaConfBaseException):
        cause = cause.__cause__
    if isinstance(cause, ConfigAttributeError | ConfigKeyError):
        return unknown(cause)
    if isinstance(cause, ValidationError):
        return wrong(cause)
    return first_line(cause or error)


def in_file(name: str, error: BaseException) -> str:
    """What Hydra says of a file that does not fit to what the others compose."""
    cause = error.__cause__ or error.__context__
    said = sentence(cause) if isinstance(cause, OmegaConfBaseException) else " ".join(str(error).split("\n")[1:])
    group = name.partition("/")[0]
    if said.startswith(f"{group} is not a known key"):  # which Hydra takes what is in the file to be a part of
        said = "its first line must be # @package _global_, and keys must follow"
    return f"{name}.yaml: {said}"


def not_yaml(error: YAMLError) -> str:
    problem = getattr(error, "problem", None) or first_line(error)
    mark = getattr(error, "problem_mark", None)
    where = f"{mark.name}, line {mark.line + 1}: " if mark else ""
    return f"{where}this is not YAML ({problem})"


def unknown(error: OmegaConfBaseException) -> str:
    parent, key = error.parent_node, str(error.key)
    known = [str(name) for name in parent] if isinstance(parent, DictConfig) and not parent._is_none() else []
    close = get_close_matches(key, known, n=1)
    prefix = str(error.full_key or key).removesuffix(key)
    hint = f"did you mean {prefix}{close[0]}?" if close else f"there are {', '.join(sorted(known))}" if known else ""
    return f"{error.full_key or key} is not a known key" + (f"; {hint}" if hint else "")


def wrong(error: OmegaConfBaseException) -> str:
    told = first_line(error)
    if found := re.match(r"Value '(.*)' (?:of type '.*' could not be converted to|is not a valid) (\w+)", told):
        return f"{error.full_key}={found[1]} is not possible; it must be {KINDS.get(found[2], found[2])}"
    if "is not Optional" in told:
        return f"{error.full_key}=null is not possible; it needs a value"
    if "is not a ListConfig" in told:
        return f"{error.full_key} must be a list, as [a, b]"
    return f"{error.full_key}: {told}"


def first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
