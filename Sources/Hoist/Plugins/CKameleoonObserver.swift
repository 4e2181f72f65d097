internal import CHoist
internal import HoistCore
internal import HoistKameleoon

/// A host's observer. `release` runs when the last registration and call let go of it.
final class CKameleoonObserver: HostAdapter<hoist_kameleoon_observer>, @unchecked Sendable {
  /// - Returns: nil for a table without functions.
  func observe(_ face: KameleoonFace) -> UInt64? {
    var update: (@Sendable () -> Void)?
    var datafile: (@Sendable (DatafileUpdate) -> Void)?
    var request: (@Sendable (RequestAttempt) -> Void)?
    if table.configuration_updated != nil { update = { self.table.configuration_updated?(self.table.user_data) } }
    if table.datafile_updated != nil {
      datafile = { self.table.datafile_updated?(self.table.user_data, $0.source.rawValue, $0.dateModified) }
    }
    if table.request_ended != nil { request = { self.tell($0) } }
    guard update != nil || datafile != nil || request != nil else { return nil }
    return face.observe(updateConfiguration: update, datafileUpdate: datafile, httpRequest: request)
  }

  private func tell(_ attempt: RequestAttempt) {
    let reason = CText(attempt.reason)
    withExtendedLifetime(reason) {
      var request = hoist_kameleoon_request(
        struct_size: MemoryLayout<hoist_kameleoon_request>.size, kind: attempt.kind.rawValue, end: attempt.end.rawValue,
        status: Int32(clamping: attempt.status), duration_ms: attempt.milliseconds, reason: reason.pointer)
      table.request_ended?(table.user_data, &request)
    }
  }
}
