public import HoistBase
public import HoistCore

/// Flags without a client: for replaying what a service sends. Not thread-safe.
public final class FlagReplay {
  private var table = FlagTable()
  /// What is served.
  public private(set) var snapshot: Snapshot?

  /// What has become of a message.
  public enum Outcome {
    case applied([FlagChange])
    /// It cannot be read, and changed nothing.
    case refused(String)
    /// No event of this name changes flags.
    case unknown
  }

  public init() {
    snapshot = FlagLayout(root: FlagsRoot(), expectedBytes: 0).finish(count: 0)
  }

  deinit { snapshot?.destroy() }

  /// - Parameter event: "put", "patch" or "delete"; "cache" for flags as the store keeps them.
  public func apply(_ event: String, _ data: ByteView) -> Outcome {
    guard let old = snapshot else { return .unknown }
    do throws(FlagFailure) {
      let update: FlagUpdate
      switch event {
      case "put": update = try table.put(data, in: FlagsRoot(), over: old)
      case "patch": update = try table.patch(data, of: old)
      case "delete": update = try table.delete(data, of: old)
      case "cache": update = try table.restore(data, in: FlagsRoot(), over: old)
      default: return .unknown
      }
      update.patch?.apply()
      if let snapshot = update.snapshot ?? update.patch?.snapshot, snapshot.base != old.base {
        self.snapshot = snapshot
        old.destroy()
      }
      return .applied(update.changes)
    } catch {
      return .refused(error.reason)
    }
  }

  /// Versions of deleted flags by key.
  public var tombstones: [[UInt8]: Int64] { table.tombstones }

  /// Every flag's value as a JSON object.
  public var values: [UInt8] { snapshot.map { FlagListing.values(of: $0) } ?? [] }

  /// What the store keeps.
  public var cacheDocument: [UInt8] {
    snapshot.map { FlagListing.cacheDocument(of: $0, tombstones: table.tombstones) } ?? []
  }

  /// Evaluates for any context, as the vendor's calls do; `body` gets the result and its metadata.
  /// - Returns: nil for an unknown flag.
  public func evaluate<Result>(
    _ key: some ByteSource, _ want: WantedType, _ body: (borrowing Evaluation, _ metadata: [UInt8]) -> Result
  ) -> Result? {
    guard let snapshot, let record = key.withBytes({ snapshot.find($0) }) else { return nil }
    var evaluation = Evaluation(want: want)
    evaluation.options = VariationOptions.cutsFractions
    snapshot.head.pointee.evaluate(snapshot.base, record, nil, &evaluation)
    return body(evaluation, FlagListing.metadata(evaluation, snapshot, record))
  }
}
