"""What a picture of lives or of a network is of, in the words of the figures."""

from plasticity.results.lives.scenes import Scene
from plasticity.results.words import cell, names
from plasticity.runs.identity import What


def of_run(what: What) -> str:
    added = [f"{word} {what[word]}" for word in ("method", "timing") if word in what]
    wiring = what["model"]["network"]  # which says what is not as usual
    added += [f"{key} {wiring[key]}" for key in ("column", "depth") if key in wiring]
    added += ["no shortcut"] if wiring.get("shortcut") is False else []
    return f"{', '.join([names([what])[0], *added])}, {cell(what['dataset']['name'], what['N'])}"


def of_network(what: What, scene: Scene) -> str:
    units = len(scene.units)
    return f"{of_run(what)}: task {scene.task} begins with {units} hidden unit{'s' if units != 1 else ''}"
