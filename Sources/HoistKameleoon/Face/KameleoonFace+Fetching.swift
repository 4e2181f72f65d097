internal import HoistBase

/// For tests with vectors.
extension KameleoonFace {
  /// Fetches as for a real-time event of that time; nil as for a poll. On the scheduler's thread.
  package func fetchConfiguration(at timestamp: Int64?) {
    if let timestamp { provider.source.hear(at: timestamp) } else { provider.source.refresh() }
  }

  /// Whether the last configuration has changes streamed.
  package var isStreaming: Bool { provider.source.isStreaming }

  package var trackingAddress: String { provider.addresses.tracking }
  package var streamAddress: String { provider.addresses.stream }
  package func configurationAddress(at timestamp: Int64?) -> String { provider.addresses.configuration(at: timestamp) }
}

/// nil when it is no domain.
package func networkDomain(_ text: String) -> String? { NetworkDomain(text)?.text }

/// The three numbers of a version as conditions compare it; nil when it is no version.
/// - Parameter isStrict: a version with pre-release or build parts is refused, as by the SDKs of the test vectors
///   (KAM-B20).
package func versionParts(_ text: String, isStrict: Bool) -> [Int64]? {
  text.withBytes { DottedVersion($0, isStrict: isStrict)?.parts }
}
