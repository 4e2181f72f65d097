internal import HoistCore

/// Where a datafile came from.
public enum DatafileOrigin: String, Sendable {
  case given, saved, network
}

/// A datafile that is served, as it was sent.
struct ServedDatafile: Sendable {
  var bytes: [UInt8]
  var revision: [UInt8]
  var origin: DatafileOrigin
}

/// A datafile that can be served. Its snapshot belongs to its holder: serve it, or destroy it.
struct CompiledDatafile: @unchecked Sendable {
  let bytes: [UInt8]
  let snapshot: Snapshot
  var revision: [UInt8] { Array(OptimizelyFlags.revision(of: snapshot)) }

  /// For messages.
  var shownRevision: String { String(decoding: revision.prefix(40), as: UTF8.self) }

  /// - Parameters:
  ///   - log: is told what was left out; nil for none.
  ///   - records: nil for one that is not to be served.
  init(_ bytes: [UInt8], log: Log? = nil, for records: UserRecords? = nil) throws(OptimizelyDatafileFailure) {
    self.bytes = bytes
    snapshot = try OptimizelyDatafile.compile(bytes, log: log, for: records)
  }
}
