"""Keywords of `hoist.Client`, of the services' clients and of `Config`: their properties, and plug-ins.

Made by `building/keywords.py` from the properties that the library describes. `hoist.describe` says what each means. A
dictionary of them is checked, too:

    settings: hoist.properties.Unleash = {"url": "https://flags.example.com/api/frontend", "refresh_interval": 30}
    client = hoist.Client("unleash", **settings)
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

from .context import Context
from .plugins import Cache, Dispatcher, HeaderProvider, Hook, Logger, Transport
from .plugins.headers import Headers


class Plugins(TypedDict, total=False):
    """Plug-ins that every client takes."""

    logger: Logger | logging.Logger | None
    cache: Cache | None
    transport: Transport | None
    dispatcher: Dispatcher | None
    headers: HeaderProvider | Callable[[str], Headers] | None


class Hooked(Plugins, total=False):
    """Plug-ins and hooks in the core's words."""

    hooks: Iterable[Hook]


class Common(TypedDict, total=False):
    """What every service has."""

    name: str
    online: bool
    dispatch: Literal["automatic", "manual"]
    store: Literal["sqlite", "memory", "none"]
    store_path: str | PathLike[str]
    plugins: str | Mapping[str, str | Mapping[str, Any]]
    events_durability: Literal["memory", "periodic", "immediate"]
    events_delivery: Literal["own", "forward"]
    events_claim_ms: int
    events_capacity: int
    events_consent_capacity: int
    events_flush_interval_ms: int
    network_connect_timeout_ms: int
    network_timeout_ms: int
    network_retry_max_ms: int
    network_max_response_bytes: int
    fetch_shared: Literal["off", "leader", "reader"]
    fetch_shared_lease_ms: int
    fetch_shared_poll_ms: int
    network_proxy: str
    network_ca_file: str | PathLike[str]
    network_client_certificate_file: str | PathLike[str]
    network_client_key_file: str | PathLike[str]
    network_max_redirects: int


class Unleash(Common, total=False):
    """Unleash's."""

    log_level: Literal["none", "error", "warning", "info", "debug"]
    mode: Literal["frontend", "backend"]
    url: str
    key: str
    key_header: str
    app_name: str
    environment: str
    instance_id: str
    refresh_interval: int
    refresh_jitter_percent: int
    metrics_interval: int
    metrics_initial_delay: int
    disable_metrics: bool
    metrics_over_plugin_transport: bool
    disable_registration: bool
    context: str | Mapping[str, Any] | Sequence[Any] | Context
    properties: str | Mapping[str, str]
    custom_headers: str | Mapping[str, str]
    fetch_method: Literal["GET", "POST"]
    fetch_mode: Literal["polling", "delta", "streaming"]
    project: str
    name_prefix: str
    tags: str | Sequence[str]
    bootstrap: str | Mapping[str, Any] | Sequence[Any] | Context
    bootstrap_file: str | PathLike[str]
    bootstrap_override: bool
    bootstrap_delays_fetch: bool
    drop_bootstrap_on_update: bool
    notify_unchanged: bool
    storage_ttl: int
    impression_data_all: bool
    sdk_flavor: str
    sdk_flavor_version: str
    autostart: bool


class UnleashClient(Unleash, Hooked, total=False):
    """What a client of Unleash takes."""


class Optimizely(Common, total=False):
    """Optimizely's."""

    log_level: Literal["none", "error", "warning", "info", "debug"]
    sdk_key: str
    datafile: str | Mapping[str, Any]
    datafile_file: str | PathLike[str]
    datafile_url: str
    datafile_access_token: str
    datafile_timeout_ms: int
    datafile_retries: int
    update_on_new_datafile: bool
    background_fetch: bool
    polling_interval: int
    min_polling_interval: int
    start_timeout_ms: int
    autostart: bool
    events_batch_size: int
    events_timer_interval: int
    events_url_us: str
    events_url_eu: str
    client_name: str
    client_version: str
    decide_options: str | Sequence[str]
    user_profiles: bool
    user_profiles_capacity: int
    odp_disable: bool
    odp_segments_cache_size: int
    odp_segments_cache_timeout: int
    odp_segment_fetch_timeout_ms: int
    odp_event_timeout_ms: int
    vuid_enabled: bool
    cmab_endpoint: str
    cmab_cache_size: int
    cmab_cache_timeout: int
    cmab_timeout_ms: int


class OptimizelyClient(Optimizely, Hooked, total=False):
    """What a client of Optimizely takes."""


class LaunchDarklyRest(Common, total=False):
    """LaunchDarkly's, but for context."""

    log_level: Literal["none", "error", "warning", "info", "debug"]
    mode: Literal["client", "server"]
    mobile_key: str
    secondary_mobile_keys: str | Mapping[str, str]
    autostart: bool
    base_url: str
    stream_url: str
    events_url: str
    connection_timeout_ms: int
    streaming_mode: Literal["streaming", "polling"]
    flag_polling_interval_ms: int
    background_flag_polling_interval_ms: int
    ignore_polling_minimum: bool
    initial_retry_delay_ms: int
    retry_refused: bool
    enable_background_updates: bool
    use_report: bool
    evaluation_reasons: bool
    max_cached_contexts: int
    secure_mode_hash: str
    additional_headers: str | Mapping[str, str]
    auto_env_attributes: bool
    all_context_attributes_private: bool
    private_context_attributes: str | Sequence[str]
    send_events: bool
    event_capacity: int
    strict_vendor: bool
    summaries_per_context: bool
    enable_compression: bool
    diagnostic_opt_out: bool
    diagnostic_recording_interval_ms: int
    application_id: str
    application_name: str
    application_version: str
    application_version_name: str
    wrapper_name: str
    wrapper_version: str
    payload_filter_key: str
    bootstrap: str | Mapping[str, Any] | Sequence[Any] | Context
    bootstrap_file: str | PathLike[str] | Sequence[str]
    bootstrap_duplicates: Literal["fail", "ignore"]
    bootstrap_reload: bool
    context_keys_capacity: int
    context_keys_flush_interval_ms: int
    omit_anonymous_contexts: bool
    daemon_mode: bool
    rules_cache_ms: int
    big_segments_context_cache_size: int
    big_segments_context_cache_ms: int
    big_segments_status_poll_ms: int
    big_segments_stale_ms: int


class LaunchDarkly(LaunchDarklyRest, total=False):
    """LaunchDarkly's."""

    context: str | Mapping[str, Any] | Sequence[Any] | Context


class LaunchDarklyClient(LaunchDarkly, Hooked, total=False):
    """What a client of LaunchDarkly takes."""


class FlagshipRest(Common, total=False):
    """Flagship's, but for api_key, env_id."""

    mode: Literal["decision_api", "bucketing"]
    autostart: bool
    context: str | Mapping[str, Any] | Sequence[Any] | Context
    timeout_ms: int
    polling_interval: int
    bucketing: str
    bucketing_file: str | PathLike[str]
    decision_group: str
    expose: bool
    numeric_widening: bool
    log_level: Literal["none", "exceptions", "error", "warning", "debug", "info", "all"]
    client_name: str
    usage_tracking: bool
    account_settings: bool
    third_party_segments: bool
    emotion_score: bool
    decision_url: str
    decision_self_hosted: bool
    cdn_url: str
    events_url: str
    segments_url: str
    emotion_url: str
    visitor_cache_timeout_ms: int
    fetch_buffering_ms: int
    fetch_at_creation: bool
    has_consented: bool
    generated_ids_keep: bool
    hits_strategy: Literal["continuous_caching", "periodic_caching", "no_batching"]
    hits_batch_interval: int
    hits_pool_max_size: int
    hits_batch_activates: bool
    hits_deduplication_ms: int
    hit_cache_timeout_ms: int
    qa: bool


class Flagship(FlagshipRest, total=False):
    """Flagship's."""

    api_key: str
    env_id: str


class FlagshipClient(Flagship, Hooked, total=False):
    """What a client of Flagship takes."""


class KameleoonRest(Common, total=False):
    """Kameleoon's, but for site_code, visitor_code."""

    log_level: Literal["none", "error", "warning", "info", "debug"]
    environment: str
    client_id: str
    client_secret: str
    network_domain: str
    configuration_url: str
    data_url: str
    stream_url: str
    token_url: str
    refresh_interval_minute: int
    default_timeout_millisecond: int
    default_datafile: str | Mapping[str, Any]
    default_datafile_file: str | PathLike[str]
    ready_fails_fast: bool
    is_unique_identifier: bool
    data_expiration_interval_minute: int
    tracking_interval_millisecond: int
    activity_tracking_interval_millisecond: int
    track_evaluations: bool
    sdk_name: str
    sdk_version: str
    regex_search: bool
    strict_vendor: bool


class Kameleoon(KameleoonRest, total=False):
    """Kameleoon's."""

    site_code: str
    visitor_code: str


class KameleoonClient(Kameleoon, Hooked, total=False):
    """What a client of Kameleoon takes."""
