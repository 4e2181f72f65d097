internal import CShims
public import HoistBase

/// One snapshot and one context, held for many reads. Thread-safe; texts are valid as long as it lives.
public final class FlagView: Sendable {
  private let snapshot: Snapshot?
  private let context: ContextReference?
  private let inherited: ContextReference?
  private let client: Client
  private let recalled: (any RecalledSubject)?

  /// - Parameter context: nil for the client's own.
  public init(_ client: Client, _ context: ContextReference?) {
    client.resumeAfterFork()
    self.client = client
    inherited = client.currentContext
    self.context = context ?? inherited
    snapshot = client.isClosed ? nil : client.holder.pinned()
    recalled = self.context.flatMap { client.recall($0) }
  }

  deinit { snapshot?.unpin() }

  /// - Returns: nil when the flag is unknown (and counted as such).
  @inlinable @inline(__always)
  public func evaluate<Result>(
    _ key: ByteView, _ want: WantedType, _ fallback: EvaluationFallback = EvaluationFallback(),
    _ body: (borrowing Evaluation) -> Result
  ) -> Result? {
    var evaluation = Evaluation(want: want)
    return answer(key, fallback, &evaluation) ? body(evaluation) : nil
  }

  /// Not generic, so that one piece of code serves callers of other modules as it is.
  /// - Returns: false when the flag is unknown.
  @usableFromInline
  func answer(_ key: ByteView, _ fallback: EvaluationFallback, _ evaluation: inout Evaluation) -> Bool {
    if shim_load_u32(&client.hot.pointee.gate) & SHIM_GATE_FORKED != 0 { client.resumeAfterFork() }
    guard let record = snapshot?.find(key) ?? unlisted(key, evaluation.want, fallback), let snapshot else { return false }
    evaluation.inherited = inherited?.frozen.base
    evaluation.subject = recalled?.state
    let frozen = context?.frozen
    snapshot.head.pointee.evaluate(snapshot.base, record, frozen?.base, &evaluation)
    let slot = shim_enter()
    HotPath.count(evaluation, in: snapshot, slot)
    shim_leave(slot)
    if evaluation.effects.rawValue & UInt8(truncatingIfNeeded: shim_load_u32(&client.hot.pointee.wanted)) != 0 {
      client.announce(&evaluation, fallback, asked: key, snapshot: snapshot, record: record, context: frozen)
      if !client.isClosed { recalled?.settle() }
    }
    return true
  }

  /// Counts the read; the record of flags that are not listed, if there is one.
  private func unlisted(_ key: ByteView, _ want: WantedType, _ fallback: EvaluationFallback) -> UnsafeRawPointer? {
    guard !client.isClosed, key.count <= Client.maximumKeyBytes, UTF8Text.isValid(key) else { return nil }
    fallback.withPointer { client.provider?.countUnknown(key, want: want, fallback: $0, context: context?.frozen) }
    return snapshot?.unlisted
  }
}
