public import HoistBase
public import HoistCore

/// Rules without a client: for replaying what a service sends. Not thread-safe.
public final class ServerReplay {
  private var table: ServerTable
  /// What is served.
  public private(set) var snapshot: Snapshot?

  public enum Outcome {
    /// Keys of the flags that the vendor's listeners are told of.
    case applied([String])
    /// It cannot be read, and changed nothing.
    case refused(String)
    /// No event of this name changes anything.
    case unknown
  }

  /// What is known of a context key in big segments: by the hash of the key, whether it is in a segment, by reference; nil
  /// where the query fails.
  public typealias BigSegmentQuery = @Sendable (_ hash: String) -> (membership: [String: Bool]?, status: String)

  /// - Parameter bigSegments: nil where there is no store.
  public init(regex: (any RegexEngine)?, bigSegments: BigSegmentQuery? = nil) {
    table = ServerTable(ServerResources(regex, bigSegments: bigSegments.map { ReplayedBigSegments($0) }))
    snapshot = nil
  }

  deinit { snapshot?.destroy() }

  /// - Parameter event: "put", "patch" or "delete"; "poll" for the answer of a poll.
  public func apply(_ event: String, _ data: ByteView) -> Outcome {
    do throws(FlagFailure) {
      let update: ServerUpdate
      switch event {
      case "put": update = try table.put(data, .put, over: snapshot)
      case "poll": update = try table.put(data, .poll, over: snapshot)
      case "patch": update = try table.patch(data, of: served())
      case "delete": update = try table.delete(data, of: served())
      default: return .unknown
      }
      update.patch?.apply()
      if let new = update.snapshot ?? update.patch?.snapshot, new.base != snapshot?.base {
        snapshot?.destroy()
        snapshot = new
      }
      return .applied(update.told)
    } catch {
      return .refused(error.reason)
    }
  }

  private func served() throws(FlagFailure) -> Snapshot {
    if snapshot == nil { _ = "{}".withBytes { apply("poll", $0) } }
    guard let snapshot else { throw .tooLarge }
    return snapshot
  }

  /// Versions by key, and of deleted items as negative numbers less one.
  public func versions(ofSegments: Bool) -> [String: Int64] {
    let kind: ItemName.Kind = ofSegments ? .segment : .flag
    var versions: [String: Int64] = [:]
    for (item, version) in snapshot?.itemVersions ?? [:] where item.kind == kind {
      versions[String(decoding: item.key, as: UTF8.self)] = version
    }
    for (item, version) in table.tombstones where item.kind == kind {
      versions[String(decoding: item.key, as: UTF8.self)] = -version - 1
    }
    return versions
  }

  /// Evaluates as the vendor's calls do; `body` gets the result and its metadata.
  /// - Returns: nil for an unknown flag.
  public func evaluate<Result>(
    _ key: some ByteSource, _ context: ContextReference?, _ want: WantedType,
    _ body: (borrowing Evaluation, _ metadata: [UInt8]) -> Result
  ) -> Result? {
    defer { withExtendedLifetime(context) {} }
    guard let snapshot, let record = key.withBytes({ snapshot.find($0) }) ?? snapshot.unlisted else { return nil }
    var evaluation = Evaluation(want: want)
    evaluation.options = VariationOptions.cutsFractions
    snapshot.head.pointee.evaluate(snapshot.base, record, context?.frozen.base, &evaluation)
    return body(evaluation, ServerMetadata.json(evaluation, snapshot, record))
  }

  /// The prerequisites that an evaluation goes through: key, key of the flag that names it, place of its variation.
  public func prerequisites(of key: some ByteSource, _ context: ContextReference?) -> [(
    key: String, of: String, variation: Int32
  )] {
    defer { withExtendedLifetime(context) {} }
    guard let snapshot, let record = key.withBytes({ snapshot.find($0) }) else { return [] }
    let flag = snapshot.serverFlag(record)
    guard var evaluator = ServerEvaluator(snapshot.base, context?.frozen.base, PrerequisiteList(of: flag)) else { return [] }
    _ = evaluator.evaluate(flag)
    func text(_ flag: UnsafePointer<ServerFlagRecord>) -> String {
      String(decoding: flag.pointee.key.bytes(snapshot.base), as: UTF8.self)
    }
    return evaluator.watch.entries.map { (text($0.flag), text($0.dependent), $0.result.variation) }
  }

  public func allFlags(_ context: ContextReference?, _ options: FlagsStateOptions, now: Int64) -> [UInt8] {
    defer { withExtendedLifetime(context) {} }
    return snapshot.map { FlagsState.json($0, context?.frozen, options, now: now) } ?? FlagsState.invalid
  }

  /// Where a value lies between 0 and 1, by a prefix of a seed, or of key and salt.
  public static func bucket(_ prefix: some ByteSource, _ value: some ByteSource) -> Double {
    prefix.withBytes { prefix in value.withBytes { ServerEvaluator<NoWatch>.bucket(prefix, $0) } }
  }

  public static func dateMilliseconds(_ text: some ByteSource) -> Double? { text.withBytes { DateOperand.milliseconds($0) } }
  public static func secureModeHash(_ context: LDContext, sdkKey: String) -> String {
    sdkKey.withBytes { SecureModeHash.text(of: context, sdkKey: $0) }
  }
  public static func bigSegmentHash(_ key: some ByteSource) -> String { key.withBytes { BigSegmentHash.text(of: $0) } }
}

private final class ReplayedBigSegments: BigSegments {
  private let query: ServerReplay.BigSegmentQuery

  init(_ query: @escaping ServerReplay.BigSegmentQuery) { self.query = query }

  func answer(for key: ByteView) -> BigSegmentAnswer {
    let (membership, status) = query(BigSegmentHash.text(of: key))
    let known: [BigSegmentsStatus] = [.healthy, .stale, .storeError]
    return BigSegmentAnswer(membership: membership, status: known.first { $0.text.map { "\($0)" } == status } ?? .notConfigured)
  }
}
