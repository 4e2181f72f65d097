public import HoistBase
public import HoistCore
public import HoistJSON

/// Datafiles, as the service sends them.
public enum OptimizelyDatafile {
  /// Compiles a datafile for evaluation.
  ///
  /// What stands at the top is read strictly, the rest leniently; a datafile that is refused leaves whatever is
  /// served as it is (protocols/optimizely.md 2.1).
  /// - Parameters:
  ///   - bytes: UTF-8 text, borrowed for the call.
  ///   - log: is told what was left out; nil for none.
  /// - Returns: a snapshot that belongs to the caller: publish it, or `destroy` it.
  public static func compile(
    _ bytes: some ByteSource, limits: JSONLimits = .standard, log: Log? = nil
  ) throws(OptimizelyDatafileFailure) -> Snapshot {
    try compile(bytes, limits: limits, log: log, for: nil)
  }

  /// - Parameter records: what is known of users in evaluations of the core; nil for nothing.
  static func compile(
    _ bytes: some ByteSource, limits: JSONLimits = .standard, log: Log?, for records: UserRecords?
  ) throws(OptimizelyDatafileFailure) -> Snapshot {
    try withDatafile(bytes, limits) { datafile, size throws(OptimizelyDatafileFailure) in
      guard let snapshot = DatafileCompiler(datafile, expectedBytes: size, log).compile(for: records) else {
        throw .invalid("too large, or memory has run out")
      }
      return snapshot
    }
  }

  /// Lends a datafile for the length of `body`.
  static func withDatafile<Result>(
    _ bytes: some ByteSource, _ limits: JSONLimits,
    _ body: (Datafile, _ size: Int) throws(OptimizelyDatafileFailure) -> Result
  ) throws(OptimizelyDatafileFailure) -> Result {
    try bytes.withBytes { text in
      Swift.Result { () throws(OptimizelyDatafileFailure) in
        let reader = try DatafileReader(text, limits)
        defer { withExtendedLifetime(reader) {} }
        return try body(try reader.read(), text.count)
      }
    }.get()
  }
}
