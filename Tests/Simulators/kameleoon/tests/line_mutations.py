"""Tracking requests with one thing wrong (protocol 2.5, 2.6, 4.3 to 4.5)."""

from __future__ import annotations

from typing import Iterator

from loopback.calls import bytes_of_body, query
from loopback.spoiling import Mutation

from .support import (
    BROWSER, CONVERSION, CUSTOM, DELIVERY, DEVICE, EXPOSURE, GEOLOCATION, LINES, MAPPING, PAGE, PLAIN, SEGMENT, SYSTEM,
    VISITS, added_lines, conversion, custom_data, encoded, exposure, line, moved_line, nonce, replaced_line)

BUILDERS = ("tracking", "visitors", "authorised")


def of_tracking() -> Iterator[Mutation]:
    for group in (_envelopes, _frames, _members, _values, _jsons, _orders, _visitors, _known):
        yield from group()


def _line(index: int, what: str, old: str, new: str, member: str | None, *along: str) -> Mutation:
    """Replaces a part of one line, which must be there."""
    def change(text: str) -> str:
        assert old in text, (old, text)
        return text.replace(old, new, 1)

    place = f"body[{index}]" + (f".{member}" if member else "")
    return Mutation(f"line {index}: {what}", "tracking", replaced_line(index, change), place,
                    frozenset(f"body[{index}].{other}" for other in along))


def _envelopes() -> Iterator[Mutation]:
    for builder in BUILDERS:
        yield Mutation("no bodyUa", builder, query(remove="bodyUa="), "query bodyUa")
        yield Mutation("bodyUa is false", builder, query("bodyUa=", "bodyUa=false"), "query bodyUa")
        yield Mutation("the visitor in the query", builder, query(add="visitorCode=carla"), "query visitorCode")
        yield Mutation("not UTF-8", builder, bytes_of_body(lambda text: text + b"\xff"), "body")
        yield Mutation("JSON", builder, bytes_of_body(lambda _: b"[]"), "body[0].[]")
        inflated = bytes_of_body(lambda text: text + b"x" * 3 * 1024 * 1024)
        yield Mutation("larger than allowed", builder, inflated, "body", frozenset(
            {"body[12].visitorCode", "body[3].mappingValue", "body[0].visitorCode"}))
        yield Mutation("nonce that is another's", builder, lambda call: added_lines(conversion(
            int((call.body or b"").split(b"&")[0].removeprefix(b"nonce="), 16), visitor="zoe"))(call),
            f"body[{ {'tracking': len(LINES), 'visitors': 4, 'authorised': 1}[builder] }].nonce")
    last = len(LINES)
    yield Mutation("line end at the end", "tracking", bytes_of_body(lambda text: text + b"\n"), f"body[{last}]")
    yield Mutation("line end at the start", "tracking", bytes_of_body(lambda text: b"\n" + text), "body[0]")
    yield Mutation("empty line", "visitors", bytes_of_body(lambda text: text.replace(b"\n", b"\n\n", 1)), "body[1]")
    yield Mutation("line end of Windows", "visitors", bytes_of_body(lambda text: text.replace(b"\n", b"\r\n", 1)),
                   "body[0].userAgent")
    yield Mutation("byte-order mark", "tracking", bytes_of_body(lambda text: b"\xef\xbb\xbf" + text),
                   "body[0].\ufeffnonce")


def _frames() -> Iterator[Mutation]:
    for index in range(len(LINES)):
        yield _line(index, "no nonce", f"nonce={nonce(index + 1)}&", "", "nonce")
        yield _line(index, "no event", "&eventType=", "&event=", "eventType")
        yield _line(index, "event in other case", "&eventType=", "&eventType=X", "eventType")
        yield _line(index, "no visitor", "&visitorCode=carla", "", "visitorCode")
        yield _line(index, "visitor under both names", "&visitorCode=", "&mappingValue=carla&visitorCode=",
                    "visitorCode")
        yield _line(index, "member", "&visitorCode=", "&time=1767700000000&visitorCode=", "time")
        yield _line(index, "visitor first", "nonce=", "visitorCode=carla&nonce=", "visitorCode")
    for what, value in (("in lower case", "000000000000000d"), ("short", "D"), ("long", "0" * 16 + "D"),
                        ("no digits", "G" * 16), ("a UUID", "00000000-0000-4000-8000-00000000000d")):
        yield _line(PLAIN, f"nonce is {what}", nonce(PLAIN + 1), value, "nonce")
    yield _line(PLAIN, "empty visitor", "visitorCode=carla", "visitorCode=", "visitorCode")
    yield _line(PLAIN, "visitor too long", "visitorCode=carla", "visitorCode=" + "c" * 256, "visitorCode")
    yield _line(PLAIN, "event before the nonce", f"nonce={nonce(13)}&eventType=conversion",
                f"eventType=conversion&nonce={nonce(13)}", None)
    yield _line(PLAIN, "event after its members", "eventType=conversion&goalId=7", "goalId=7&eventType=conversion",
                None)
    yield _line(DEVICE, "agent before the visitor", "visitorCode=carla&userAgent=Mozilla%2F5.0%20(X11)%20%C3%A9",
                "userAgent=agent&visitorCode=carla", None)
    yield _line(DEVICE, "empty agent", "userAgent=Mozilla%2F5.0%20(X11)%20%C3%A9", "userAgent=", "userAgent")
    yield _line(DEVICE, "agent not encoded", "Mozilla%2F5.0", "Mozilla/5.0", "userAgent")
    yield _line(BROWSER, "agent on a later line", "visitorCode=carla", "visitorCode=carla&userAgent=agent", "userAgent")
    yield _line(PLAIN, "member twice", "&revenue=0.0", "&revenue=0.0&revenue=0.0", "revenue")
    yield _line(PLAIN, "blank", "&revenue=0.0", "& revenue=0.0", " revenue")
    yield _line(PLAIN, "name without value", "&negative=false", "&negative", "negative")
    yield _line(PLAIN, "nothing between two ampersands", "&negative", "&&negative", "")


def _members() -> Iterator[Mutation]:
    required = {GEOLOCATION: (), BROWSER: ("browserIndex",), SYSTEM: ("os", "osIndex"),
                VISITS: ("visitNumber", "timeSincePreviousVisit"), CUSTOM: ("index", "valuesCountMap", "overwrite"),
                PAGE: ("href",), EXPOSURE: ("id", "variationId"), SEGMENT: ("id",),
                PLAIN: ("goalId", "revenue", "negative")}
    for index, names in required.items():
        for name in names:
            yield _line(index, f"no {name}", f"&{name}=", "&x=", name, "x")
    empty = {DEVICE: ("deviceType=PHONE",), GEOLOCATION: ("region=%C3%8Ele-de-France", "city=Paris", "country=France"),
             PAGE: ("title=Home%20%26%20Co", "referrersIndices=%5B1%2C2%5D"), CUSTOM: ("overwrite=true",),
             BROWSER: ("browserVersion=99.5",), CONVERSION: ("revenue=19.5",)}
    for index, pairs in empty.items():
        for pair in pairs:
            name = pair.partition("=")[0]
            yield _line(index, f"empty {name}", pair, f"{name}=", name)
    yield _line(DEVICE, "nothing of static data", "&deviceType=PHONE", "", "eventType")
    yield _line(PAGE, "title before the address",
                "href=https%3A%2F%2Fa.com%2F%3Fq%3D1%26r%3D%C3%A9&title=Home%20%26%20Co",
                "title=Home%20%26%20Co&href=a", None)
    yield _line(CUSTOM, "overwrite before the values", "index=0&", "overwrite=true&index=0&", "overwrite")
    yield _line(SYSTEM, "index before the name", "os=IOS&osIndex=2", "osIndex=2&os=IOS", None)
    yield _line(CONVERSION, "metadata before the revenue", "goalId=-7&", "goalId=-7&metadata=%7B%224%22%3A%5B%5D%7D&",
                "metadata")
    yield _line(DEVICE, "two kinds in one line", "deviceType=PHONE", "deviceType=PHONE&browserIndex=0", "browserIndex")


def _values() -> Iterator[Mutation]:
    for index, name, old, values in (
            (DEVICE, "deviceType", "PHONE", ("Phone", "WATCH", "0")),
            (BROWSER, "browserIndex", "0", ("6", "-1", "CHROME", "00")),
            (BROWSER, "browserVersion", "99.5", ("0", "0.0", "99.5.1", "latest", "0x63", "nan")),
            (SYSTEM, "osIndex", "2", ("6", "3", "IOS")), (SYSTEM, "os", "IOS", ("ios", "BEOS")),
            (GEOLOCATION, "latitude", "48.8566", ("48%2C8566", "north", "%2B48.8", "48.")),
            (GEOLOCATION, "longitude", "-2.5", ("2%C2%B0", "1e999x")),
            (VISITS, "visitNumber", "4", ("-1", "4.0", "04")),
            (VISITS, "timeSincePreviousVisit", "86400000", ("-5", "86400.0", "1d")),
            (CUSTOM, "index", "0", ("-1", "plan", "0.0", "00")), (CUSTOM, "overwrite", "true", ("True", "1")),
            (MAPPING, "mappingIdentifier", "true", ("false", "1")),
            (EXPOSURE, "id", "100", ("-100", "checkout", "100.0")),
            (EXPOSURE, "variationId", "12", ("-1", "short", "null")),
            (SEGMENT, "id", "5", ("-5", "phones")),
            (PLAIN, "goalId", "7", ("seven", "7.0", "%2B7", "-0x7")),
            (PLAIN, "revenue", "0.0", ("free", "0%2C5", "10%E2%82%AC", "inf", ".5", "1_0")),
            (PLAIN, "negative", "false", ("False", "0"))):
        for value in values:
            yield _line(index, f"{name} is {value}", f"&{name}={old}", f"&{name}={value}", name)


def _jsons() -> Iterator[Mutation]:
    values = "valuesCountMap=" + encoded({"gold": 1, "it's (fine)": 1})
    for what, value, member in (
            ("a list", ["gold"], ""), ("a text", '"gold"', ""), ("two of a value", {"gold": 2}, ".gold"),
            ("no count", {"gold": None}, ".gold"), ("a truth", {"gold": True}, ".gold"),
            ("a fraction", {"gold": 1.0}, ".gold"), ("cut", '{"gold": 1', ""), ("a value twice", '{"a":1,"a":1}', ""),
            ("null", "null", "")):
        yield _line(CUSTOM, f"values are {what}", values, "valuesCountMap=" + encoded(value), "valuesCountMap" + member)
    for what, value, member in (
            ("a list", [], ""), ("empty", {}, ""), ("text as values", {"4": "m1"}, ".4"),
            ("numbers as values", {"4": [1]}, ".4[0]"), ("a name as index", {"tier": ["m1"]}, ".tier"),
            ("null", "null", "")):
        old = "metadata=" + encoded({"4": ["m1", "m2"], "0": []})
        yield _line(CONVERSION, f"metadata are {what}", old, "metadata=" + encoded(value), "metadata" + member)
    for what, value, member in (("empty", [], ""), ("texts", ["1"], "[0]"), ("negative", [-1], "[0]"),
                                ("an object", {}, ""), ("fractions", [1.0], "[0]")):
        yield _line(PAGE, f"referrers are {what}", "referrersIndices=%5B1%2C2%5D", "referrersIndices=" + encoded(value),
                    "referrersIndices" + member)
    for what, text in (("not encoded", '{"gold":1}'), ("with plus for blanks", "%7B%22a+b%22%3A1%7D"),
                       ("in lower case escapes", "%7b%22gold%22%3a1%7d"),
                       ("with an escaped apostrophe", "%7B%22%27%22%3A1%7D")):
        yield _line(CUSTOM, f"values are {what}", values, "valuesCountMap=" + text, "valuesCountMap")


def _orders() -> Iterator[Mutation]:
    for index, to in ((DEVICE, BROWSER), (BROWSER, SYSTEM), (SYSTEM, GEOLOCATION), (GEOLOCATION, VISITS),
                      (VISITS, MAPPING), (CUSTOM, PAGE), (PAGE, EXPOSURE), (DELIVERY, SEGMENT), (SEGMENT, CONVERSION)):
        along = frozenset({"body[1].userAgent"}) if index == DEVICE else frozenset()
        yield Mutation(f"line {index} after {to}", "tracking", moved_line(index, to), f"body[{to}]", along)
    yield Mutation("conversions before experiments", "tracking", moved_line(PLAIN, EXPOSURE), "body[9]", frozenset(
        {"body[10]", "body[11]"}))
    tablet = line(41, "staticData", deviceType="TABLET")
    activity = line(42, "activity")
    for what, text in (("custom data", custom_data(40, 1, "a")), ("device", tablet), ("activity", activity)):
        yield Mutation(f"{what} at the end", "tracking", added_lines(text), f"body[{len(LINES)}]")
    for index, text in ((DEVICE, tablet), (CUSTOM, custom_data(44, 0, "b")),
                        (BROWSER, line(49, "staticData", browserIndex=3)), (EXPOSURE, exposure(45, 100, 13)),
                        (GEOLOCATION, line(46, "geolocation", country="DE")),
                        (SEGMENT, line(47, "targetingSegment", id=5)),
                        (PAGE, line(48, "page", href="https://a.com/?q=1&r=é"))):
        doubled = replaced_line(index, lambda old, text=text: f"{old}\n{text}")
        yield Mutation(f"two of line {index}", "tracking", doubled, f"body[{index + 1}]")
    yield Mutation("activity beside something else", "visitors", replaced_line(
        0, lambda old: f"{exposure(50, visitor='anna')}\n{old.partition('&userAgent')[0]}"), "body[1]")
    yield Mutation("activity twice", "visitors", replaced_line(
        0, lambda old: f"{old}\n{line(51, 'activity', 'anna')}"), "body[1]", frozenset({"body[0]"}))
    yield Mutation("activity with members", "visitors", replaced_line(
        0, lambda old: old.replace("&visitorCode", "&id=1&visitorCode")), "body[0].id")


def _visitors() -> Iterator[Mutation]:
    yield Mutation("lines of a visitor apart", "visitors", added_lines(conversion(60, visitor="bert")), "body[4]")
    yield Mutation("lines of a linked visitor apart", "visitors", moved_line(1, 2), "body[3]")
    yield Mutation("two names for one visitor", "visitors", added_lines(conversion(61, visitor="user-1")),
                   "body[4].visitorCode")
    yield Mutation("agent on the second line", "visitors", replaced_line(3, lambda old: old + "&userAgent=a"),
                   "body[3].userAgent")
    yield Mutation("agent of one visitor on both lines", "authorised", lambda call: replaced_line(
        0, lambda old: f"{old}&userAgent=a\n{conversion(62)}&userAgent=a")(call), "body[1].userAgent")
    for what, value in (("empty", ""), ("not encoded", "user 1"), ("too long", "u" * 256)):
        yield Mutation(f"the linked visitor is {what}", "visitors", replaced_line(
            2, lambda old, value=value: old.replace("mappingValue=user-1", f"mappingValue={value}")),
            "body[2].mappingValue")


def _known() -> Iterator[Mutation]:
    yield _line(EXPOSURE, "experiment of nobody", "id=100", "id=101", "id")
    yield _line(EXPOSURE, "the rule's id", "id=100", "id=10", "id")
    yield _line(EXPOSURE, "variation of another experiment", "variationId=12", "variationId=21", "variationId")
    yield _line(DELIVERY, "variation that is none", "variationId=21", "variationId=0", "variationId")
    yield _line(SEGMENT, "segment of nobody", "id=5", "id=8", "id")
    yield _line(SEGMENT, "segment that is not tracked", "id=5", "id=6", "id")
    yield _line(CUSTOM, "data that never leave the client", "index=0", "index=2", "index")
    yield _line(CUSTOM, "mark on data that link nobody", "overwrite=true", "overwrite=true&mappingIdentifier=true",
                "mappingIdentifier")
    yield _line(MAPPING, "no mark on data that link", "&mappingIdentifier=true", "", "mappingIdentifier")
    yield _line(MAPPING, "mark on data without a value", "valuesCountMap=%7B%22user-1%22%3A1%7D",
                "valuesCountMap=%7B%7D", "mappingIdentifier")
    yield Mutation("a goal, told with a revenue as text", "authorised", replaced_line(
        0, lambda old: old.replace("revenue=0.0", "revenue=%220.0%22")), "body[0].revenue")
    for what, old, new, member in (
            ("no goal", "goalId=7&", "", "goalId"), ("goal as text", "goalId=7", "goalId=seven", "goalId"),
            ("no revenue", "revenue=0.0&", "", "revenue"), ("no sign", "&negative=false", "", "negative"),
            ("value in place of revenue", "revenue=", "value=", "revenue"),
            ("empty goal", "goalId=7", "goalId=", "goalId")):
        along = frozenset({"body[0].value"}) if "value" in new else frozenset()
        yield Mutation(what, "authorised", replaced_line(0, lambda text, old=old, new=new: text.replace(old, new)),
                       f"body[0].{member}", along)
