"""The Optimizely client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .._native import ffi, lib
from .._text import KEYS, encode, optional, take, take_text
from ..client import Client as _Client
from ..config import Config
from ..context import Context, ContextLike, as_context, pointer_of
from ..observer import Subscription
from ..status import Error, Status
from . import notifications as _notifications
from .life import Life
from .notifications import NotificationKind, NotificationObserver
from .platform import PlatformManager, Scalar, send_event, set_platform
from .profiles import ProfileService, set_profiles
from .user import User, load_json, with_tags

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..properties import OptimizelyClient

_VARIABLES: dict[type, tuple[Any, str | None]] = {
    bool: (lib.hoist_optimizely_feature_bool, "bool *"),
    int: (lib.hoist_optimizely_feature_int64, "int64_t *"),
    float: (lib.hoist_optimizely_feature_double, "double *"),
    str: (lib.hoist_optimizely_feature_string, None),
    dict: (lib.hoist_optimizely_feature_json, None),
}


class Client(Life, _Client):
    """A `hoist.Client` with Optimizely's own calls.

    Takes what `hoist.Client` takes but the provider's name, and
    - `profiles`: keeps user profiles in place of the client's own store,
    - `platform`: is asked in place of the service's data platform (ODP).
    """

    __slots__ = ()

    def __init__(
        self,
        properties: Mapping[str, Any] | Config | None = None,
        /,
        *,
        profiles: ProfileService | None = None,
        platform: PlatformManager | None = None,
        **more: Unpack[OptimizelyClient],
    ) -> None:
        config = properties.copy() if isinstance(properties, Config) else Config("optimizely", properties)
        if profiles is not None:
            set_profiles(config, profiles)
        if platform is not None:
            set_platform(config, platform)
        super().__init__(config, **more)

    @property
    def config(self) -> dict[str, Any] | None:
        """OptimizelyConfig: what the project has. None before there is a datafile."""
        found: dict[str, Any] | None = load_json(take(lib.hoist_optimizely_config_to_json(self._pointer)))
        return found

    # ---- Users -----------------------------------------------------------------------------------

    def user(self, user_id: str | None, attributes: Mapping[str, object] | None = None) -> User:
        """A user context; None stands for the anonymous visitor of this installation. Raises `hoist.Error`."""
        made = Context(None, attributes) if attributes else None
        pointer = lib.hoist_optimizely_user_new(self._pointer, optional(user_id), pointer_of(made))
        if not pointer:
            raise Error(Status.ARGUMENT, "a user needs an id that is text, or an anonymous visitor to stand for it")
        return User(pointer)

    def set_forced_variation(self, experiment_key: str, user_id: str, variation_key: str | None) -> bool:
        """Makes an experiment give a user a variation; None takes that back. False for unknown keys."""
        call = lib.hoist_optimizely_set_forced_variation
        return bool(call(self._pointer, encode(experiment_key), encode(user_id), optional(variation_key)))

    def forced_variation(self, experiment_key: str, user_id: str) -> str | None:
        """The variation that is forced; None when none is."""
        return take_text(lib.hoist_optimizely_forced_variation(self._pointer, encode(experiment_key), encode(user_id)))

    # ---- The data platform -----------------------------------------------------------------------

    @property
    def vuid(self) -> str | None:
        """The anonymous visitor id of this installation; None when there is none."""
        return take_text(lib.hoist_optimizely_vuid(self._pointer))

    def send_odp_event(
        self,
        action: str,
        identifiers: Mapping[str, str] | None = None,
        data: Mapping[str, Scalar] | None = None,
        type: str | None = None,
    ) -> Status:
        """Records an event for the data platform; answers why not."""
        return send_event(self, action, type, identifiers, data)

    # ---- Notifications ---------------------------------------------------------------------------

    def observe_notifications(self, kind: NotificationKind, observer: NotificationObserver) -> Subscription:
        """Tells a function of one kind of notifications, on the delivery lane."""
        return _notifications.observe(self, kind, observer)

    def on_notification(self, kind: NotificationKind) -> Callable[[NotificationObserver], NotificationObserver]:
        """`observe_notifications` as a decorator."""

        def register(observer: NotificationObserver) -> NotificationObserver:
            self.observe_notifications(kind, observer)
            return observer

        return register

    def unobserve_all(self, kind: NotificationKind | None = None) -> Status:
        """Ends the observers of a kind of notifications, or of all."""
        return Status(lib.hoist_optimizely_unobserve_all(self._pointer, 0 if kind is None else int(kind)))

    # ---- The calls that came before users --------------------------------------------------------

    def activate(self, experiment_key: str, user: ContextLike) -> str | None:
        """The user's variation of an experiment, with its impression; None when there is none."""
        return self._variation(lib.hoist_optimizely_activate, experiment_key, user)

    def variation(self, experiment_key: str, user: ContextLike) -> str | None:
        """`activate` without an impression."""
        return self._variation(lib.hoist_optimizely_variation, experiment_key, user)

    def _variation(self, call: Any, experiment_key: str, user: ContextLike) -> str | None:
        made, place = as_context(user), ffi.new("hoist_text **")
        call(self._pointer, encode(experiment_key), pointer_of(made), place)
        text = take(place[0])
        return None if text is None else text.decode()

    def is_feature_enabled(self, feature_key: str, user: ContextLike) -> bool:
        """Whether a feature is on, with its impression."""
        made = as_context(user)
        return bool(lib.hoist_optimizely_is_feature_enabled(self._pointer, KEYS[feature_key], pointer_of(made)))

    def enabled_features(self, user: ContextLike) -> list[str]:
        """The features that are on, with their impressions."""
        made = as_context(user)
        return load_json(take(lib.hoist_optimizely_enabled_features(self._pointer, pointer_of(made)))) or []

    def feature_variable(self, feature_key: str, variable_key: str, user: ContextLike, kind: type) -> Any:
        """One variable; `kind` is bool, int, float, str or dict (for json). None for another type and unknown keys."""
        made = as_context(user)
        call, plain = _VARIABLES[kind]
        place = ffi.new(plain or "hoist_text **")
        status = call(self._pointer, KEYS[feature_key], encode(variable_key), pointer_of(made), place)
        if plain:
            return place[0] if status == Status.OK else None
        text = take(place[0])
        if text is None:
            return None
        return load_json(text) if kind is dict else text.decode()

    def feature_variables(self, feature_key: str, user: ContextLike) -> dict[str, Any] | None:
        """All variables of a feature; None for an unknown one."""
        made = as_context(user)
        found: dict[str, Any] | None = load_json(
            take(lib.hoist_optimizely_feature_variables(self._pointer, KEYS[feature_key], pointer_of(made)))
        )
        return found

    def track_event(self, event_key: str, user: ContextLike, tags: Mapping[str, Any] | None = None) -> Status:
        """Records a conversion of a context's user; as `User.track`."""
        made = as_context(user)
        call = partial(lib.hoist_optimizely_track, self._pointer, encode(event_key), pointer_of(made))
        return with_tags(event_key, tags, call)
