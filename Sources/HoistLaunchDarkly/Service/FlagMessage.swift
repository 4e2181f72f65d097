internal import HoistCore

/// What the service says about flags; the bytes are JSON, not yet read.
enum FlagMessage: Sendable {
  /// The complete set of the context. `entityTag` is that of a poll, "" when it gave none; nil for one of the stream,
  /// which leaves the stored one as it is (5.10).
  case put([UInt8], entityTag: String?)
  case patch([UInt8])
  case delete([UInt8])
}

/// What became of a message.
enum FlagOutcome: Sendable, Equatable {
  /// It counts, also when its version was too old to change anything.
  case applied
  /// It cannot be read; one line says why. What was served stays (G3).
  case refused(String)
}

/// How a start, an identify or a change to online ends as far as flags are concerned (5.1 "finished").
enum SynchronizerOutcome: Sendable, Equatable {
  /// Flags of the context have come from the service.
  case updated
  /// The service, or a cache entry that is fresh, confirms what is served.
  case confirmed
  /// 401: the client has gone offline.
  case unauthorized
  /// The stream has stopped for good with this status; flags stay.
  case shutDown(Int)
  /// A stop or a newer beginning came first.
  case superseded
}
