internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The options of a client that decides by itself: those that clients have, with other defaults, and its own
/// (protocols/launchdarkly-server.md 12).
struct ServerSettings: Sendable {
  /// Longest SDK key, in bytes.
  private static let maximumKeyBytes = 8192
  /// Of the other mode: named here, they are ignored.
  static let clientOnly = [
    "autostart", "background_flag_polling_interval_ms", "enable_background_updates", "use_report", "evaluation_reasons",
    "max_cached_contexts", "secure_mode_hash", "auto_env_attributes", "summaries_per_context",
  ]
  /// Of this mode: named for a client of the other, they are ignored.
  static let serverOnly = [
    "payload_filter_key", "context_keys_capacity", "context_keys_flush_interval_ms", "omit_anonymous_contexts", "bootstrap",
    "bootstrap.file", "bootstrap.duplicates", "bootstrap.reload", "daemon_mode", "rules_cache_ms",
    "big_segments_context_cache_size", "big_segments_context_cache_ms",
    "big_segments_status_poll_ms", "big_segments_stale_ms",
  ]

  let common: LaunchDarklySettings
  let filter: String
  let seen: SeenContexts.Options
  /// Rules to start with.
  let given: HostRules.Options
  /// Rules come from a store alone (10.4).
  let isDaemon: Bool
  let rulesCacheMilliseconds: Int64
  let bigSegments: BigSegmentsManager.Options
  /// What the host should know of its properties.
  let doubts: [String]

  init(_ values: PropertyValues) throws(ConfigurationFailure) {
    common = try LaunchDarklySettings(values, isServer: true)
    if !common.secondaryMobileKeys.isEmpty {
      throw ConfigurationFailure(
        "secondary_mobile_keys",
        "property \"secondary_mobile_keys\" is for mode client: in mode server open a client for each SDK key")
    }
    let filter = values.text("payload_filter_key")
    self.filter = RulesFeed.isFilter(filter) ? filter : ""
    seen = SeenContexts.Options(
      capacity: Int(clamping: values.integer("context_keys_capacity")),
      milliseconds: values.integer("context_keys_flush_interval_ms"), omitsAnonymous: values.boolean("omit_anonymous_contexts"))
    given = HostRules.Options(
      text: values.isSet("bootstrap") ? Array(values.text("bootstrap").utf8) : nil,
      paths: try Self.paths(values.text(HostRules.property)),
      ignoresDuplicates: values.text("bootstrap.duplicates") == "ignore", isWatched: values.boolean("bootstrap.reload"),
      limitBytes: common.maximumResponseBytes)
    isDaemon = values.boolean("daemon_mode")
    rulesCacheMilliseconds = values.integer("rules_cache_ms")
    bigSegments = BigSegmentsManager.Options(
      capacity: Int(clamping: values.integer("big_segments_context_cache_size")),
      milliseconds: values.integer("big_segments_context_cache_ms"),
      pollMilliseconds: values.integer("big_segments_status_poll_ms"), staleMilliseconds: values.integer("big_segments_stale_ms"))
    var doubts = Self.ignored(Self.clientOnly, values, "mode client")
    if !filter.isEmpty, self.filter.isEmpty {
      doubts.append(
        "property \"payload_filter_key\" is ignored: a key has letters, digits, dots, dashes and underscores, and begins with a letter or digit"
      )
    }
    if !values.text("mobile_key").isEmpty, common.mobileKey.isEmpty {
      doubts.append(
        "property \"mobile_key\" is ignored: it is no SDK key, which has letters, digits, dots, dashes and underscores")
    }
    self.doubts = doubts
  }

  /// What to say of properties that the host has set for nothing.
  static func ignored(_ names: [String], _ values: PropertyValues, _ mode: String) -> [String] {
    names.filter { values.isSet($0) }.map { "property \"\($0)\" is ignored: it is for \(mode)" }
  }

  /// One path, or several as JSON.
  private static func paths(_ text: String) throws(ConfigurationFailure) -> [String] {
    guard text.utf8.first == UInt8(ascii: "[") else { return text.isEmpty ? [] : [text] }
    let list = (try? JSONDocument(parsing: text))?.withRoot { root in
      root.array.flatMap { array in array.allSatisfy { $0.kind == .string } ? array.compactMap(\.string) : nil }
    }
    guard let list, !list.contains("") else {
      throw ConfigurationFailure(
        HostRules.property, "property \"\(HostRules.property)\" begins like a JSON array, and is none of paths")
    }
    return list
  }

  /// Another text is no key, and is not sent ([PY]; 2.1).
  static func isKey(_ text: String) -> Bool {
    text.utf8.count <= maximumKeyBytes
      && text.utf8.allSatisfy {
        ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
  }

  /// What the store knows the rules by; nil where no service sends any.
  var storageKey: String? {
    common.mobileKey.isEmpty ? nil : "launchdarkly.rules.\(common.mobileKeyDigest)\(filter.isEmpty ? "" : ".\(filter)")"
  }
}
