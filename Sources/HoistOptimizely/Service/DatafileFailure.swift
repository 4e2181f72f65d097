public import HoistCore

/// Why a client has no datafile, or no newer one.
public struct DatafileFailure: Error, Sendable, Equatable {
  public var status: Status
  /// One line for people, without keys and tokens.
  public var message: String
  /// Another attempt may bring one.
  var isPassing = false

  init(_ status: Status, _ message: String, isPassing: Bool = false) {
    self.status = status
    self.message = message
    self.isPassing = isPassing
  }

  init(_ failure: OptimizelyDatafileFailure, _ origin: String) {
    switch failure {
    case .invalid: self.init(.optimizelyDatafileInvalid, "\(origin): \(failure.message)")
    case .versionInvalid: self.init(.optimizelyDatafileVersionInvalid, "\(origin): \(failure.message)")
    }
  }

  /// On purpose: no fault while something can be served.
  static let offline = DatafileFailure(
    .optimizelyDatafileDownloadFailed, "no datafile can be downloaded: the client is offline")
  static let cancelled = DatafileFailure(.cancelled, "ended by a stop or a close")
}
