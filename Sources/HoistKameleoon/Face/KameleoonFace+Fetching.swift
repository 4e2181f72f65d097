internal import HoistBase

/// What test vectors drive and look at.
extension KameleoonFace {
  /// Fetches as for a real-time event of that time; nil as for a poll. On the scheduler's thread.
  package func fetchConfiguration(at timestamp: Int64?) { provider.source.fetch(at: timestamp) }

  /// Whether the last configuration has changes streamed.
  package var isStreaming: Bool { provider.source.isStreaming }

  package var trackingAddress: String { provider.addresses.tracking }
  package var streamAddress: String { provider.addresses.stream }
  package func configurationAddress(at timestamp: Int64?) -> String { provider.addresses.configuration(at: timestamp) }
}

/// nil for what is no domain.
package func networkDomain(_ text: String) -> String? { NetworkDomain(text)?.text }

/// The three numbers of a version as conditions compare it; nil for what is none.
/// - Parameter isStrict: with its pre-release and build parts it is none, as for the SDKs of which the vectors tell (KAM-B20).
package func versionParts(_ text: String, isStrict: Bool) -> [Int64]? {
  text.withBytes { DottedVersion($0, isStrict: isStrict)?.parts }
}
