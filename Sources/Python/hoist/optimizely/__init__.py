"""Optimizely Feature Experimentation, in its words: user contexts, decisions, experiments, notifications.

from hoist import optimizely

with optimizely.Client(sdk_key=…) as client:
    client.wait_ready(2)
    user = client.user("user-42", {"plan": "pro"})
    decision = user.decide("new-checkout")
    if decision.enabled:
        colour = decision.variables["colour"]
    user.track("purchase", {"revenue": 1990})
"""

from .client import Client
from .decision import Decision, Option
from .life import version
from .notifications import NotificationKind, NotificationObserver
from .platform import PlatformManager, SegmentOption
from .profiles import ProfileService
from .user import User

__all__ = [
    "Client",
    "Decision",
    "NotificationKind",
    "NotificationObserver",
    "Option",
    "PlatformManager",
    "ProfileService",
    "SegmentOption",
    "User",
    "version",
]
