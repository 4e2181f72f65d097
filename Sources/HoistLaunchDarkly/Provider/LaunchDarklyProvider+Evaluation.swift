internal import CShims
internal import HoistBase
public import HoistCore

/// What evaluating threads need.
extension LaunchDarklyProvider {
  /// What is more than a count (4.4): the first of a flag in a period, flags with events of their own or prerequisites.
  public func record(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    let flag = snapshot.flag(record)
    guard let root = snapshot.flagsRoot, let current = events.context.current else { return }
    let word = snapshot.periodWord(of: flag, root)
    let period = root.period
    let fallback = evaluation.fallback?.pointee.json
    let result = evaluation.kind == .none ? fallback ?? Array("null".utf8) : evaluation.jsonValue()
    let isDetailed = evaluation.isDetailed
    result.withBytes { result in
      (fallback ?? []).withBytes { text in
        let use = FlagUse(
          key: snapshot.name(of: record), flag: FlagFacts(flag, in: snapshot), result: result,
          fallback: fallback == nil ? nil : text, isDetailed: isDetailed)
        current._withUnsafeGuaranteedRef { context in
          events.evaluated(
            use, of: context, isFirst: word.map { shim_load_u32($0) } != period,
            noted: { if let word { shim_store_u32(word, period) } },
            find: { key in snapshot.find(flag: key).map { FlagFacts($0, in: snapshot) } })
        }
      }
    }
  }

  /// LaunchDarkly announces no impressions: what is counted is in the summary.
  public func impression(
    _ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> Notification? { nil }

  public func metadata(snapshot: Snapshot, record: UnsafeRawPointer, evaluation: borrowing Evaluation) -> [UInt8] {
    FlagListing.metadata(evaluation, snapshot, record)
  }

  public func explain(
    _ evaluation: inout Evaluation, snapshot: Snapshot, record: UnsafeRawPointer, context: FrozenContext?
  ) -> [UInt8] {
    snapshot.head.pointee.evaluate(snapshot.base, record, context?.base, &evaluation)
    return FlagListing.explanation(evaluation, snapshot, record)
  }
}

extension EventRecorder {
  /// Takes the counts of a host's flags from now on.
  func count(flagsOf host: any ProviderHost) {
    drain = { [weak host, weak self] body in
      guard let host, let self else { return }
      let reading = shim_enter()
      defer { shim_leave(reading) }
      guard let current = self.context.current else { return }
      current._withUnsafeGuaranteedRef { context in
        host.drainCounts { snapshot, record, _, count in
          let flag = snapshot.flag(record)
          body(snapshot.name(of: record), FlagFacts.identity(of: flag.pointee), count, context)
        }
      }
    }
    beginPeriod = { [weak host] in
      host?.withSnapshot { snapshot in
        guard let root = snapshot?.flagsRoot else { return }
        let next = root.period &+ 1
        shim_store_u32(UnsafeMutablePointer(mutating: UnsafeRawPointer(root).assumingMemoryBound(to: UInt32.self)), next == 0 ? 1 : next)
      }
    }
  }
}

extension FlagFacts {
  init(_ flag: UnsafePointer<FlagRecord>, in snapshot: Snapshot) {
    let record = flag.pointee
    let identity = Self.identity(of: record)
    self.init(key: record.head.name.bytes(snapshot.base), variation: identity.variation, version: identity.version)
    value = record.kind == .none ? nil : record.value.bytes(snapshot.base)
    isTracked = record.traits.contains(.tracked)
    tracksReason = record.traits.contains(.tracksReason)
    debuggedUntil = record.debuggedUntil
    reason = snapshot.reason(of: flag)
    prerequisites = snapshot.prerequisites(of: flag)
  }

  static func identity(of record: FlagRecord) -> CounterIdentity {
    let version: Int64? =
      record.traits.contains(.hasFlagVersion)
      ? record.flagVersion : record.traits.contains(.hasVersion) ? record.version : nil
    return CounterIdentity(variation: record.traits.contains(.hasVariation) ? record.variation : nil, version: version)
  }
}
