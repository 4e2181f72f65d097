import HoistBase
import HoistCore
import HoistJSON
import HoistLaunchDarkly
import HoistRegex

/// LaunchDarkly's kinds of vectors for its server-side mode; their files name none, so it is told from the members of the
/// first case.
let launchDarklyServer = Vendor(
  kinds: [
    "bucketing": runServerBucketing,
    "clauses": runClauses,
    "parse_values": runOperands,
    "evaluation": runServerEvaluation,
    "big_segment_hash": runBigSegmentHashes,
    "all_flags_state": runFlagsStates,
    "secure_mode_hash": runSecureModeHashes,
    "typed": runTypedCalls,
    "store_updates": runServerUpdates,
    "events": runServerEvents,
    "index_dedup": runServerIndexes,
    "migration_events": runServerMigrations,
  ],
  kindOfUnnamed: { root in
    guard let first = root["cases"]?.array?.element(at: 0) else { return nil }
    return signs.first { first.object?.member($0.member) != nil }?.kind ?? "unknown"
  })

/// A member of every case, by the kind of the file; the first that fits counts.
private let signs: [(member: String, kind: String)] = [
  ("rollout", "bucketing"), ("clause", "clauses"), ("input", "parse_values"), ("sdkKey", "secure_mode_hash"),
  ("options", "all_flags_state"), ("type", "typed"), ("payloads", "events"),
  ("sequence", "index_dedup"), ("calls", "migration_events"), ("evaluations", "evaluation"), ("accepted", "evaluation"),
  ("data", "evaluation"), ("steps", "store_updates"), ("expect", "big_segment_hash"),
]

let serverRegex = PCRE2RegexEngine()

/// The elements of an array; none of anything else.
func list(_ value: JSONValue?) -> [JSONValue] {
  guard let array = value?.array else { return [] }
  return Array(array)
}

/// A context as the vendor's kit reads it; nil for one that it refuses.
func contextReference(_ value: JSONValue?) -> ContextReference? {
  (value?.source ?? []).withBytes { try? LDContext.read(json: $0) }?.reference
}

extension ServerReplay {
  /// Serves one set.
  convenience init?(_ data: [UInt8], bigSegments: BigSegmentQuery? = nil) {
    self.init(regex: serverRegex, bigSegments: bigSegments)
    guard case .applied = data.withBytes({ apply("poll", $0) }) else { return nil }
  }

  /// One flag alone, under the key "f".
  convenience init?(flag: [UInt8]) { self.init(Array("{\"flags\":{\"f\":".utf8) + flag + Array("}}".utf8)) }

  /// A detail as canonical text.
  func answer(_ key: String, _ context: ContextReference?, _ want: WantedType, fallback: String) -> String {
    let told = evaluate(key, context, want) { evaluation, metadata -> String in
      let value = evaluation.kind == .none ? fallback : canonical(text: evaluation.jsonValue())
      guard let document = try? JSONDocument(parsing: metadata) else { return "(no metadata)" }
      return document.withRoot { root in
        detail(value, root["variationIndex"]?.canonicalText, root["reason"]?.canonicalText ?? "null")
      }
    }
    return told ?? "(nothing is served)"
  }
}

func detail(_ value: String, _ index: String?, _ reason: String) -> String {
  "\(value) \(index ?? "null") \(canonical(text: Array(reason.utf8)))"
}

/// The same of an expectation.
func expectedDetail(_ expect: JSONValue?) -> String {
  detail(
    expect?["value"]?.canonicalText ?? "null", expect?["variationIndex"]?.unlessNull?.canonicalText,
    expect?["reason"]?.canonicalText ?? "null")
}
