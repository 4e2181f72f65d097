public import CShims
public import HoistBase
internal import HoistJSON

/// What an evaluation on the slow path does beside answering.
public struct EvaluationMode: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Raise the counters, announce impressions, run hooks.
  public static let counted = EvaluationMode(rawValue: 1)
  /// Write down every step.
  public static let explained = EvaluationMode(rawValue: 2)
  /// The caller gets the detail.
  public static let detailed = EvaluationMode(rawValue: 4)
}

/// Makes the detail of an evaluation, for callers that want one; valid as long as the evaluation's texts.
public struct Description {
  fileprivate let key: ByteView?
  fileprivate let evaluation: Evaluation
  fileprivate let fallback: EvaluationFallback
  fileprivate let provider: (any Provider)?
  fileprivate let explanation: [UInt8]?
  fileprivate var made: EvaluationDetail?

  public func callAsFunction() -> EvaluationDetail {
    if let made { return made }
    var metadata: [UInt8]?
    if let base = evaluation.base, let record = evaluation.record {
      metadata = provider?.metadata(snapshot: Snapshot(base), record: record, evaluation: evaluation)
    }
    return EvaluationDetail(
      key: key ?? ByteView(start: nil, count: 0), evaluation, fallback, metadata: metadata, explanation: explanation)
  }
}

/// The complete evaluation: details, hooks, unknown flags, every kind of error.
extension Client {
  /// Longest key of a flag, in bytes.
  public static var maximumKeyBytes: Int { 4096 }

  /// Evaluates and describes.
  ///
  /// - Parameters:
  ///   - key: bytes of the flag key; invalid UTF-8 is an error of the evaluation.
  ///   - subject: nil for the client's own context.
  ///   - valueText: what the caller will return, as JSON, given the evaluation; nil takes what the flag holds.
  ///   - fallback: what the caller will return when there is no value.
  ///   - options: the provider's own, for a vendor's call.
  ///   - body: reads the evaluation while its texts are valid; `detail` describes it, for callers that want that.
  public func evaluate<Result>(
    _ key: ByteView?, _ subject: UnsafeMutablePointer<shim_subject>?, _ want: WantedType, _ mode: EvaluationMode,
    _ fallback: EvaluationFallback = EvaluationFallback(), options: UInt32 = 0,
    _ body: (_ evaluation: borrowing Evaluation, _ detail: Description) -> Result
  ) -> Result {
    resumeAfterFork()
    let runsHooks = mode.contains(.counted) && shim_load_u32(&hot.pointee.gate) & Gate.hooks != 0
    guard runsHooks, let key else {
      return withEvaluation(key, subject, want, mode, fallback, options, isRefused: false) { evaluation, detail in
        body(evaluation, detail)
      }
    }
    let hooks = hooks
    return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: hooks.count) { states in
      states.initialize(repeating: nil)
      func call(_ index: Int) -> HookCall {
        HookCall(
          key: key, context: subject, want: want, fallback: fallback, isDetailed: mode.contains(.detailed),
          options: options, state: states.baseAddress.map { $0 + index })
      }
      let refusing = hooks.indices.first { !hooks[$0].before(call($0)) }
      let begun = hooks[...(refusing ?? hooks.count - 1)].indices.reversed()
      let isDescribed = begun.contains { hooks[$0].readsDetail }
      let (result, code, detail) = withEvaluation(key, subject, want, mode, fallback, options, isRefused: refusing != nil) {
        evaluation, detail in
        var detail = detail
        if isDescribed { detail.made = detail() }
        return (body(evaluation, detail), evaluation.errorCode, detail.made)
      }
      // Outside the reading section: a hook that takes its time holds nothing back but this call.
      for index in begun {
        guard let detail else { break }
        if code == .none { hooks[index].after(call(index), detail) } else { hooks[index].error(call(index), detail) }
      }
      for index in begun { hooks[index].finally(call(index)) }
      return result
    }
  }

  /// - Parameter known: what the host has been asked already.
  private func withEvaluation<Result>(
    _ key: ByteView?, _ subject: UnsafeMutablePointer<shim_subject>?, _ want: WantedType, _ mode: EvaluationMode,
    _ fallback: EvaluationFallback, _ options: UInt32 = 0, isRefused: Bool, of pinned: Snapshot? = nil,
    knowing known: (any RecalledSubject)? = nil,
    _ body: (borrowing Evaluation, Description) -> Result
  ) -> Result {
    // Asked before the reading section: it is host code.
    let recalled = known ?? (isRefused ? nil : recall(subject))
    defer { recalled?.settle() }
    let own = external.flatMap { store in key.flatMap { asksHost(for: $0, isRefused) ? store.external($0) : nil } }
    defer { if let own { external?.finish(external: own) } }
    let slot = shim_enter()
    defer { shim_leave(slot) }
    var evaluation = Evaluation(want: want, isDetailed: mode.contains(.detailed))
    evaluation.options = options
    evaluation.inherited = UnsafeRawPointer(shim_load_pointer(&hot.pointee.context))
    evaluation.subject = recalled?.state
    let context =
      recalled?.context.frozen ?? subject.map { FrozenContext(of: $0) } ?? evaluation.inherited.map { FrozenContext($0) }
    let current = pinned ?? shim_load_pointer(&hot.pointee.snapshot).map { Snapshot(UnsafeRawPointer($0)) }
    let listing = external == nil ? current : own
    // A flag missing in the host's own store may still be known to be off.
    let snapshot = listing ?? current
    var record = resolve(
      key, in: listing, unlisted: snapshot?.unlisted, &evaluation, mode, fallback, context, isRefused: isRefused)
    if record != nil, subject != nil, context == nil {
      // Never another context's values.
      evaluation.fail(.invalidContext, "the context cannot be read")
      record = nil
    }
    var explanation: [UInt8]?
    if let snapshot, let record {
      evaluation.base = snapshot.base
      evaluation.record = record
      if mode.contains(.explained) {
        explanation = provider?.explain(&evaluation, snapshot: snapshot, record: record, context: context)
      } else {
        snapshot.head.pointee.evaluate(snapshot.base, record, context?.base, &evaluation)
      }
      if mode.contains(.counted) {
        HotPath.count(evaluation, in: snapshot, slot)
        if !evaluation.effects.isEmpty {
          announce(&evaluation, fallback, asked: key, snapshot: snapshot, record: record, context: context)
        }
      }
    }
    return body(
      evaluation, Description(key: key, evaluation: evaluation, fallback: fallback, provider: provider, explanation: explanation))
  }

  private func recall(_ subject: UnsafeMutablePointer<shim_subject>?) -> (any RecalledSubject)? {
    guard recalling != nil else { return nil }
    guard let subject else { return currentContext.flatMap { recall($0) } }
    let slot = shim_enter()
    let context = FrozenContext(of: subject).map { ContextReference(sharing: $0) }
    shim_leave(slot)
    return context.flatMap { recall($0) }
  }

  /// What the host knows of a context's subject; nil where it is not to be asked. Host code.
  func recall(_ context: ContextReference) -> (any RecalledSubject)? {
    isClosed ? nil : recalling?.recall(context)
  }

  /// After close no host call begins, and an invalid key needs none.
  private func asksHost(for key: ByteView, _ isRefused: Bool) -> Bool {
    !isRefused && !isClosed && key.count <= Self.maximumKeyBytes && UTF8Text.isValid(key)
  }

  /// The flag's record, or nil with the reason in `evaluation`.
  /// - Parameter unlisted: the record of flags that are not there; nil when there are none.
  private func resolve(
    _ key: ByteView?, in snapshot: Snapshot?, unlisted: UnsafeRawPointer?, _ evaluation: inout Evaluation, _ mode: EvaluationMode,
    _ fallback: EvaluationFallback, _ context: FrozenContext?, isRefused: Bool
  ) -> UnsafeRawPointer? {
    guard let key else {
      evaluation.fail(.general, "the flag key is NULL")
      return nil
    }
    if isRefused {
      evaluation.fail(.general, "a hook refused the evaluation")
    } else if key.count > Self.maximumKeyBytes {
      evaluation.fail(.general, "the flag key is longer than 4096 bytes")
    } else if !UTF8Text.isValid(key) {
      evaluation.fail(.general, "the flag key is not valid UTF-8")
    } else if isClosed {
      evaluation.fail(.providerNotReady, "the client is closed")
    } else if let record = snapshot?.find(key) {
      return record
    } else if let unlisted {
      countUnknown(key, evaluation.want, mode, fallback, context)
      return unlisted
    } else if let snapshot {
      evaluation.base = snapshot.base
      if life.servesFlags || snapshot.flagCount > 0 {
        evaluation.fail(.flagNotFound, "no flag of this key")
      } else {
        failUnready(&evaluation)
      }
      countUnknown(key, evaluation.want, mode, fallback, context)
    } else if external != nil {
      evaluation.fail(.flagNotFound, "the host's storage has no flag of this key")
      countUnknown(key, evaluation.want, mode, fallback, context)
    } else {
      failUnready(&evaluation)
      countUnknown(key, evaluation.want, mode, fallback, context)
    }
    return nil
  }

  private func failUnready(_ evaluation: inout Evaluation) {
    if state == .fatal {
      evaluation.fail(.providerFatal, "the service refuses this client, and no flags are stored")
    } else {
      evaluation.fail(.providerNotReady, "no flags yet: none fetched, stored or given")
    }
  }

  private func countUnknown(
    _ key: ByteView, _ want: WantedType, _ mode: EvaluationMode, _ fallback: EvaluationFallback, _ context: FrozenContext?
  ) {
    guard mode.contains(.counted) else { return }
    fallback.withPointer { provider?.countUnknown(key, want: want, fallback: $0, context: context) }
  }

  /// Every flag, evaluated without a count, as a JSON object of key → detail.
  public func allFlags(_ subject: UnsafeMutablePointer<shim_subject>?) -> [UInt8] {
    resumeAfterFork()
    var writer = JSONWriter()
    writer.beginObject()
    let snapshot = isClosed ? nil : holder.pinned()
    if let snapshot {
      let recalled = recall(subject)
      for index in 0..<snapshot.flagCount {
        let name = snapshot.name(of: snapshot.record(at: index))
        writer.key(utf8: name.bindMemory(to: UInt8.self))
        withEvaluation(name, subject, .any, [], EvaluationFallback(), isRefused: false, of: snapshot, knowing: recalled) {
          _, detail in detail().write(to: &writer)
        }
      }
      snapshot.unpin()
    }
    writer.endObject()
    return writer.bytes
  }
}
