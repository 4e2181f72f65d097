"""Where the vendor's Python kit differs from what its page rules: the kit answers both ways, and a case that it answers
differently says which rulings make the difference."""
import contextlib
import json
import re

from ldclient.context import Context
from ldclient.impl import evaluator, evaluator_common, operators
from ldclient.impl.evaluator_common import EvalResult, EvaluationException, _target_match_result
from ldclient.impl.model import clause

STRICT_DATE = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
WORST = ["HEALTHY", "STALE", "STORE_ERROR", "NOT_CONFIGURED"]

_bucket, _value_at, _parse_time = (
    evaluator_common._bucket_context, evaluator_common._get_context_value_by_attr_ref, operators.parse_time)
_check_targets, _in, _matches = evaluator.check_targets, operators.ops["in"], evaluator.Evaluator._clause_matches_context


class NoPart(float):
    """A bucket of 0 that is in no experiment."""

    def __ge__(self, other):
        return False


class WorstStatus(EvalResult):
    __slots__ = ["_worst"]

    @property
    def big_segments_status(self):
        return self._worst

    @big_segments_status.setter
    def big_segments_status(self, status):
        before = getattr(self, "_worst", None)
        self._worst = status if before is None else max(before, status, key=WORST.index)


class Rulings:
    """The kit's functions, each with the rulings in force."""

    names = ("S1", "S2", "S3", "S4", "S5", "S6", "S7", "S14")

    def __init__(self, names):
        self.on = names

    def patches(self):
        yield evaluator_common, "_bucket_context", lambda *given: self.bucket("S1", NoPart(0), *given)
        yield evaluator, "_bucket_context", lambda *given: self.bucket("S2", float("inf"), *given)
        yield evaluator_common, "_get_context_value_by_attr_ref", self.value_to_bucket
        yield evaluator.Evaluator, "_clause_matches_context", lambda *given: self.matches(*given)
        yield operators, "parse_time", self.parse_time
        yield clause, "parse_time", self.parse_time
        if "S3" in self.on:
            yield evaluator, "check_targets", check_targets
        if "S5" in self.on:
            yield evaluator, "EvalResult", WorstStatus

    def bucket(self, ruling, without_part, seed, context, kind, key, salt, bucket_by):
        if "S6" in self.on and bucket_by is not None and bucket_by.error is not None:
            raise EvaluationException("invalid attribute reference")
        found = _bucket(seed, context, kind, key, salt, bucket_by)
        return without_part if found == -1 and ruling in self.on else found

    def value_to_bucket(self, context, reference):
        found = _value_at(context, reference)
        return int(found) if "S7" in self.on and isinstance(found, float) and found.is_integer() else found

    def matches(self, kit, one, context, state):
        if "S6" in self.on and one.op != "segmentMatch" and one.attribute.error is not None:
            raise EvaluationException("invalid attribute reference")
        return _matches(kit, one, context, state)

    def parse_time(self, value):
        refused = "S14" in self.on and isinstance(value, str) and STRICT_DATE.fullmatch(value) is None
        return None if refused else _parse_time(value)

    def equal(self, value, wanted, preprocessed):
        return same(value, wanted) if "S4" in self.on else _in(value, wanted, preprocessed)


def same(one, other):
    """Deep equality of JSON, in which true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return one == other


def check_targets(flag, context):
    """Values of an entry for users count, and those of `targets` only where it has none."""
    if not flag.context_targets:
        return _check_targets(flag, context)
    for target in flag.context_targets:
        kind = target.context_kind or Context.DEFAULT_KIND
        part = context.get_individual_context(kind)
        if part is None:
            continue
        values = target.values
        if kind == Context.DEFAULT_KIND and not values:
            values = next((each.values for each in flag.targets if each.variation == target.variation), ())
        if part.key in values:
            return _target_match_result(flag, target.variation)
    return None


@contextlib.contextmanager
def ruled(names):
    """The kit, answering as these rulings say."""
    rulings = Rulings(names)
    before = [(holder, name, holder.__dict__[name]) for holder, name, _ in rulings.patches()]
    for holder, name, made in rulings.patches():
        setattr(holder, name, made)
    operators.ops["in"] = rulings.equal
    try:
        yield
    finally:
        operators.ops["in"] = _in
        for holder, name, was in before:
            setattr(holder, name, was)


def settled(answers):
    """What `answers`, a function that asks the kit for a list, gives: for each entry `expect`, and `oracle` and `divergence`
    where the kit by itself says something else."""
    def under(names):
        with ruled(names):
            return answers()

    names = set(Rulings.names)
    kit, expected = under(set()), under(names)
    made = [{"expect": one} for one in expected]
    differing = [i for i, one in enumerate(expected) if text(one) != text(kit[i])]
    if not differing:
        return made
    alone = {name: under({name}) for name in Rulings.names}
    without = {name: under(names - {name}) for name in Rulings.names}
    for i in differing:
        tags = [name for name in Rulings.names
                if text(alone[name][i]) != text(kit[i]) or text(without[name][i]) != text(expected[i])]
        made[i] |= {"divergence": tags, "oracle": kit[i]}
    return made


def text(value):
    return json.dumps(value, sort_keys=True)
