"""What belongs to one of Flagship's visitors alone: consent, ids, what is known of it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from flagship import FlagshipSimulator
from flagship_clients import Opener
from waiting import until

from hoist import Status
from hoist.flagship import Client, Screen, Visitor


def _shared(client: Client) -> Visitor:
    visitor = client.shared_visitor
    assert visitor is not None
    return visitor


def _person(name: str) -> dict[str, Any]:
    return {"targetingKey": name}


def _kept(folder: Path) -> dict[str, Any]:
    return {"store": "sqlite", "store.path": str(folder), "has_consented": True}


def test_identify_takes_no_refusal_from_one_person_to_the_next(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """The current visitor has refused (FS-34, FS-64; no consent)."""
    client = open_flagship()
    assert client.identify(_person("anna")) and _shared(client).set_consent(False)
    assert client.identify(_person("ben")) and _shared(client).has_consented
    assert flagship.ledger.decisions("ben")[0]["visitor_consent"] is True
    assert client.identify(_person("anna")) and not _shared(client).has_consented, "her own answer"
    assert [one["visitor_consent"] for one in flagship.ledger.decisions("anna")] == [True, False]


def test_identify_takes_no_consent_from_one_person_to_the_next(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """The current visitor has agreed where the property says no (FS-34, FS-64; no consent)."""
    client = open_flagship(properties={"has_consented": False})
    assert client.identify(_person("anna")) and not _shared(client).has_consented
    assert _shared(client).set_consent(True)
    assert client.identify(_person("ben")) and not _shared(client).has_consented
    assert flagship.ledger.decisions("ben")[0]["visitor_consent"] is False
    assert client.track("seen", _person("ben")) is Status.FLAGSHIP_NO_CONSENT
    assert client.identify(_person("anna")) and _shared(client).has_consented, "her own answer"


@pytest.mark.parametrize("mode", ["decision_api", "bucketing"])
def test_identify_takes_no_refusal_back(flagship: FlagshipSimulator, open_flagship: Opener, tmp_path: Path, mode: str) -> None:
    """An earlier run has stored the refusal (FS-65, FS-66; no consent, second process)."""
    client = open_flagship(mode, properties=_kept(tmp_path))
    assert client.identify(_person("anna")) and _shared(client).set_consent(False)
    assert client.close(5)
    later = open_flagship(mode, properties=_kept(tmp_path))
    assert later.identify(_person("anna")) and not _shared(later).has_consented
    assert _shared(later).send(Screen("home")) is Status.FLAGSHIP_NO_CONSENT
    assert later.identify(_person("ben")) and _shared(later).has_consented and _shared(later).send(Screen("home"))
    # What the first one says is told once the store has been asked; by then she may have refused.
    assert later.flush(5) and flagship.ledger.consents("anna")[1:] == [False, False]


def test_a_visitor_is_not_authenticated_with_its_own_id(open_flagship: Opener, caplog: pytest.LogCaptureFixture) -> None:
    """The strict service refuses one id under both names (FS-68; ready)."""
    visitor = open_flagship(logger=logging.getLogger("flags")).visitor("anna")
    assert visitor.authenticate("anna") is Status.ARGUMENT and visitor.anonymous_id is None
    assert until(lambda: "authenticated with another id" in caplog.text)
    assert visitor.fetch(5) and visitor.send(Screen("home"))
    assert visitor.authenticate("anna@shop") and visitor.authenticate("anna@shop")
    assert visitor.authenticate("anna") is Status.ARGUMENT
    assert (visitor.id, visitor.anonymous_id) == ("anna@shop", "anna") and visitor.fetch(5)


@pytest.mark.parametrize("keeps", [True, False])
def test_the_anonymous_id_of_a_known_visitor_is_its_own(open_flagship: Opener, tmp_path: Path, keeps: bool) -> None:
    """Authenticated from the start, in two runs (FS-35; starting, second process)."""

    def ids() -> list[str | None]:
        client = open_flagship(properties={**_kept(tmp_path), "generated_ids.keep": keeps})
        found = [client.visitor(name, is_authenticated=True, shared=False).anonymous_id for name in ("anna", "ben")]
        assert client.close(5)
        return found

    first = ids()
    assert all(first) and first[0] != first[1]
    assert ids() == first


def test_segments_are_asked_for_with_consent_alone(flagship: FlagshipSimulator, open_flagship: Opener) -> None:
    """(FS-65, FS-209; no consent)"""
    flagship.environment.segment("anna", [{"visitor_id": "anna", "segment": "plan", "value": "gold", "partner": "crm"}])
    client = open_flagship("bucketing", properties={"third_party_segments": True, "segments.url": flagship.segments_url})
    visitor = client.visitor("anna", False)
    assert visitor.fetch(5) and flagship.requests("segments") == []
    assert "crm::plan" not in visitor.context
    assert visitor.set_consent(True) and visitor.fetch(5)
    assert visitor.context["crm::plan"] == "gold" and len(flagship.requests("segments")) == 1
