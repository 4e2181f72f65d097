"""A service on asyncio, against a strict simulator of the Unleash service. python service.py features.json"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from unleash import UnleashSimulator

from hoist import Topic, unleash


async def serve(service: UnleashSimulator, store: str) -> None:
    async with unleash.Client(
        url=service.frontend_url, key=service.frontend_key, app_name="shop", store_path=store, refresh_interval=1
    ) as client:
        assert await client.ready(5)
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        client.observe(Topic.FLAG_CHANGED, lambda news: loop.call_soon_threadsafe(changed.set), "maintenance")

        print("maintenance is", "on" if client.is_enabled("maintenance") else "off")
        variant = client.get_variant("banner")
        print("banner:", variant.name, variant.payload.json() if variant.payload else None)
        client.track("purchase", value=19.9, properties={"currency": "EUR"})

        service.state.update({"name": "maintenance", "enabled": True, "strategies": []})
        await asyncio.wait_for(changed.wait(), 10)
        print("it was switched on at the service, and here it is", "on" if client.is_enabled("maintenance") else "off")


with UnleashSimulator(json.loads(Path(sys.argv[1]).read_text())) as service, tempfile.TemporaryDirectory() as store:
    asyncio.run(serve(service, store))
    print("the service has booked:", json.dumps(service.ledger.totals()))
    print("and the tracked events:", json.dumps(service.ledger.impact()["purchase"]))
    assert service.violations == [], service.violations
