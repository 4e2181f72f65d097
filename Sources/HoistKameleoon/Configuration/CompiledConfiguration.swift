internal import HoistCore

/// A configuration that can be served, and what else has to be known of it. The snapshot belongs to whoever holds it:
/// serve it, or destroy it.
struct CompiledConfiguration: @unchecked Sendable {
  let snapshot: Snapshot
  /// Whether changes are streamed (4.2).
  var streams = false
  /// 0 for none (KAM-B11).
  var dateModified: Int64 = 0
  /// "" changes nothing (2.1).
  var dataAPIDomain: [UInt8] = []
}

/// Why a configuration cannot be served; a line for people.
struct KameleoonConfigurationFailure: Error, Equatable {
  var message: String
}
