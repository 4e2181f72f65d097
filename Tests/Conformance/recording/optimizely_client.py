"""Optimizely's Python SDK as a black box, with everything it would send or store kept."""
import json
import logging

from optimizely import optimizely
from optimizely.event.event_processor import ForwardingEventProcessor
from optimizely.helpers import enums
from optimizely.helpers.sdk_settings import OptimizelySdkSettings

logging.disable(logging.CRITICAL)


class Dispatcher:
    def __init__(self):
        self.events = []

    def dispatch_event(self, event):
        self.events.append(event)


class Profiles:
    def __init__(self, stored):
        self.stored, self.lookups, self.saved = stored, 0, []

    def lookup(self, user_id):
        self.lookups += 1
        return self.stored.get(user_id)

    def save(self, profile):
        self.saved.append(json.loads(json.dumps(profile)))
        self.stored[profile["user_id"]] = profile


class Client:
    """One client of one datafile."""

    def __init__(self, datafile, profiles=None):
        self.datafile, self.dispatcher, self.told = datafile, Dispatcher(), []
        self.sdk = optimizely.Optimizely(
            json.dumps(datafile), user_profile_service=profiles, event_processor=ForwardingEventProcessor(self.dispatcher),
            settings=OptimizelySdkSettings(odp_disabled=True))
        assert self.sdk.is_valid
        self.sdk.notification_center.add_notification_listener(
            enums.NotificationTypes.DECISION, lambda type, user, attributes, info: self.told.append((type, dict(info))))

    def posts(self):
        """What was dispatched, without what differs from run to run."""
        return [self.post(event) for event in self.dispatcher.events]

    def post(self, event):
        body = json.loads(json.dumps(event.params))
        body.update(client_name="<CLIENT_NAME>", client_version="<CLIENT_VERSION>")
        for visitor in body["visitors"]:
            visitor["attributes"].sort(key=lambda attribute: attribute["key"])
            for snapshot in visitor["snapshots"]:
                for one in snapshot["events"]:
                    one.update(uuid="<UUID>", timestamp="<TIMESTAMP_MS>")
        return {"url": event.url, "body": body, "bodyRegion": self.datafile.get("region", "US")}

    def user(self, user_id, attributes, segments=None):
        context = self.sdk.create_user_context(user_id, attributes)
        if segments is not None:
            context.set_qualified_segments(segments)
        return context


def decision(made):
    return {
        "variationKey": made.variation_key, "enabled": made.enabled, "variables": made.variables or {},
        "ruleKey": made.rule_key, "flagKey": made.flag_key,
    }
