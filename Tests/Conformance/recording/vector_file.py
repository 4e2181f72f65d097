"""How vectors are written down."""
import json
import os


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
