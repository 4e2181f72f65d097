"""How vectors are written down."""
import json
import os
import sys


def write(folder, name, made):
    """One case a line, so that a change shows as what it is."""
    head = dict(made)
    cases = head.pop("cases")
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = [f"{json.dumps(key)}:{dump(value)}" for key, value in head.items()]
    body = ",\n".join(map(dump, cases))
    text = "{" + ",\n".join(lines) + ',\n"cases":[\n' + body + "\n]}\n"
    assert json.loads(text)["cases"] == json.loads(json.dumps(cases))
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        file.write(text)


def record_all(folder, oracle, generator, files, standard_seed, shows_seed=False):
    """What a script does that is called with a folder and perhaps a seed: each file is drawn from the seed and its own name, so
    that none depends on another. `files`: what makes each, by name."""
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else standard_seed
    os.makedirs(folder, exist_ok=True)
    for name, make in files.items():
        generator.seed(f"{seed} {name}")
        write(folder, name, {"oracle": oracle, **({"seed": seed} if shows_seed else {}), **make()})
