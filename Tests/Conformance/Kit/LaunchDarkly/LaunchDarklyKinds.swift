import HoistJSON

/// LaunchDarkly's kinds of vectors; their files name none, so it is told from the members of the first case.
let launchDarkly = Vendor(
  kinds: [
    "sse": runServerSentEvents,
    "stream_backoff": runStreamBackoff,
    "http_status": runHTTPStatuses,
    "context_parse": runContextParse,
    "context_hash": runContextHash,
    "attribute_refs": runAttributeReferences,
    "redaction": runRedaction,
    "request_context": runRequestContext,
    "tags": runApplicationTags,
    "evaluation": runFlagEvaluation,
    "store_updates": runStoreUpdates,
    "cache": runFlagCache,
    "identify_queue": runIdentifyQueue,
    "throttle": runThrottle,
    "events": runEventPayloads,
  ],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    return signs.first { first.object?.member($0.member) != nil }?.kind ?? "unknown"
  })

/// A member of every case, by the kind of the file; the first that fits counts.
private let signs: [(member: String, kind: String)] = [
  ("fingerprint_input", "context_hash"), ("literal", "attribute_refs"), ("redact_anonymous", "redaction"),
  ("json_in_url", "request_context"), ("versionName", "tags"), ("input", "context_parse"), ("calls", "evaluation"),
  ("payloads", "events"), ("chunks_base64", "sse"), ("max_cached_contexts", "cache"), ("call_times_ms", "throttle"),
  ("callbacks", "identify_queue"), ("delays_ms", "stream_backoff"), ("poll_report_retries_with_get", "http_status"),
  ("steps", "store_updates"),
]
