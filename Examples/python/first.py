"""Flags from a file, without a network: python first.py features.json"""

import sys
from pathlib import Path

import hoist

FEATURES = Path(sys.argv[1])

with hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap_file=FEATURES) as client:
    client.wait_ready(1)
    for user in (hoist.Context("user-1", country="NO", plan="pro", age=30), hoist.Context("user-2", country="SE")):
        print(f"{user.targeting_key}:")
        print("  new-checkout is", "on" if client.bool("new-checkout", user) else "off")
        banner = client.evaluate("banner", user)
        print(f"  banner is {banner.variation or 'off'}: {banner.value!r}, because of {banner.reason}")

    # Many reads that agree with each other: one request, one frame.
    with client.view({"targetingKey": "user-1"}) as view:
        print("in a view:", {key: view.bool(key) for key in sorted(client.all_flags())})

    # An evaluation never raises; the detail tells what was wrong.
    unknown = client.detail("no-such-flag", None, "fallback")
    print(f"no-such-flag: {unknown.value!r} ({unknown.error_code}: {unknown.error_message})")
    assert unknown.value == "fallback" and unknown.error_code == "FLAG_NOT_FOUND"
