public import CShims
public import HoistBase

/// Bits of `shim_hot.gate`: each sends evaluations to the slow path.
public enum Gate {
  public static let closed: UInt32 = 1
  public static let hooks: UInt32 = 2
  /// Flags are read from the host's own store.
  public static let external: UInt32 = 4
  /// The host is asked about a context's subject first.
  public static let recall: UInt32 = 8
}

/// Evaluation without a lock, an allocation, a reference count or a shared write, but for what the first use of a context makes.
public enum HotPath {
  public static let clientMagic: UInt64 = 0x486F_6973_7443_6C69  // "HoistCli"

  /// Evaluates in the common case: open client, no hook, a known flag.
  ///
  /// - Parameters:
  ///   - subject: the context's hot part; nil for the client's own context.
  ///   - fallback: handed to the recorder of the evaluation.
  ///   - options: the provider's own, for a vendor's call.
  ///   - body: reads the evaluation's texts while the snapshot is still held.
  /// - Returns: nil when the slow path has to answer; nothing was counted then.
  @inlinable @inline(__always)
  public static func evaluate<Result>(
    _ hot: UnsafeMutablePointer<shim_hot>, _ key: ByteView, _ subject: UnsafeMutablePointer<shim_subject>?,
    _ want: WantedType, _ fallback: EvaluationFallback = EvaluationFallback(), options: UInt32 = 0,
    _ body: (borrowing Evaluation) -> Result
  ) -> Result? {
    guard shim_load_u32(&hot.pointee.gate) == 0 else { return nil }
    let slot = shim_enter()
    defer { shim_leave(slot) }
    guard let base = shim_load_pointer(&hot.pointee.snapshot) else { return nil }
    let snapshot = Snapshot(UnsafeRawPointer(base))
    guard let record = snapshot.find(key) else { return nil }
    var evaluation = Evaluation(want: want)
    evaluation.options = options
    evaluation.inherited = UnsafeRawPointer(shim_load_pointer(&hot.pointee.context))
    var context = evaluation.inherited
    if let subject {
      let frozen = shim_load_pointer(&subject.pointee.frozen).map { UnsafeRawPointer($0) } ?? FrozenContext(of: subject)?.base
      guard let frozen else { return nil }
      context = frozen
    }
    snapshot.head.pointee.evaluate(snapshot.base, record, context, &evaluation)
    count(evaluation, in: snapshot, slot)
    if evaluation.effects.rawValue & UInt8(truncatingIfNeeded: shim_load_u32(&hot.pointee.wanted)) != 0 {
      announce(hot, snapshot, record, context, &evaluation, fallback)
    }
    return body(evaluation)
  }

  @inlinable @inline(__always)
  static func count(_ evaluation: borrowing Evaluation, in snapshot: Snapshot, _ slot: UnsafeMutablePointer<shim_slot>) {
    if evaluation.firstCell != .max { snapshot.count(slot, cell: evaluation.firstCell) }
    if evaluation.secondCell != .max { snapshot.count(slot, cell: evaluation.secondCell) }
  }

  /// Hands an evaluation with wanted effects to its client.
  @inline(never) @usableFromInline
  static func announce(
    _ hot: UnsafeMutablePointer<shim_hot>, _ snapshot: Snapshot, _ record: UnsafeRawPointer,
    _ context: UnsafeRawPointer?, _ evaluation: inout Evaluation, _ fallback: EvaluationFallback
  ) {
    guard let object = hot.pointee.object else { return }
    Unmanaged<Client>.fromOpaque(object)._withUnsafeGuaranteedRef {
      $0.announce(&evaluation, fallback, snapshot: snapshot, record: record, context: context.map { FrozenContext($0) })
    }
  }
}
