internal import CShims
internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Evaluations of stored flags, as events and summaries report them (4.4.2 to 4.4.5).
extension EventRecorder {
  /// An evaluation that is more than a count; see `evaluateFlag`. Any thread.
  func record(_ evaluation: borrowing Evaluation, snapshot: Snapshot, record: UnsafeRawPointer) {
    guard let root = snapshot.flagsRoot else { return }
    let flag = snapshot.flag(record)
    let word = snapshot.periodWord(of: flag, root)
    let isFirst = word.map { shim_load_u32($0) != root.period } ?? true
    let fallback = evaluation.fallback?.pointee.json
    let result = Self.result(evaluation, fallback)
    let isDetailed = evaluation.isDetailed
    Self.withBytes(fallback) { fallback in
      Self.withBytes(result) { result in
        let use = FlagUse(
          key: snapshot.name(of: record), flag: FlagFacts(flag, in: snapshot),
          result: result ?? flag.pointee.value.json.bytes(snapshot.base), fallback: fallback, isDetailed: isDetailed)
        evaluated(use, owner: snapshot.owner, isFirst: isFirst) {
          if let word { shim_store_u32(word, root.period) }
        } find: { key in
          snapshot.find(key).map { FlagFacts(snapshot.flag($0), in: snapshot) }
        }
      }
    }
  }

  /// What the caller gets, as JSON text; nil for the flag's value as it is.
  private static func result(_ evaluation: borrowing Evaluation, _ fallback: [UInt8]?) -> [UInt8]? {
    switch evaluation.kind {
    case .none: return fallback ?? Array("null".utf8)
    case .int:
      var writer = JSONWriter()
      writer.int(evaluation.integer)
      return writer.bytes
    case .bool, .double, .string, .json: return nil
    }
  }

  private static func withBytes(_ text: [UInt8]?, _ body: (ByteView?) -> Void) {
    if let text { text.withUnsafeBytes { body($0) } } else { body(nil) }
  }
}

/// The cells in which evaluations are counted.
protocol CountedFlags {
  /// Hands out the counts since the last call, with their contexts.
  func drain(_ body: (ByteView, CounterIdentity, UInt64, EventContext?) -> Void)
  /// Makes the next evaluation of each flag the first of its period.
  func beginPeriod()
}

/// Those of the flags that a client serves.
struct ServedCells: CountedFlags {
  private let host: any ProviderHost

  init(_ host: any ProviderHost) { self.host = host }

  func drain(_ body: (ByteView, CounterIdentity, UInt64, EventContext?) -> Void) {
    host.drainCounts { snapshot, record, _, count in
      body(snapshot.name(of: record), CounterIdentity(snapshot.flag(record)), count, snapshot.owner)
    }
  }

  func beginPeriod() { host.withSnapshot { $0?.beginPeriod() } }
}

extension Snapshot {
  /// The next evaluation of each flag is the first of a period.
  func beginPeriod() {
    guard let root = flagsRoot else { return }
    let own = UnsafeMutablePointer(mutating: root)
    let next = root.period &+ 1
    // 0 is the period of flags that have not been seen.
    shim_store_u32(&own.pointee.period, next == 0 ? 1 : next)
  }
}

extension FlagFacts {
  init(_ flag: UnsafePointer<LaunchDarklyFlagRecord>, in snapshot: Snapshot) {
    let record = flag.pointee
    let identity = CounterIdentity(flag)
    self.init(
      key: record.head.name.bytes(snapshot.base), variation: identity.variation, version: identity.version,
      value: record.value.isNull ? nil : record.value.json.bytes(snapshot.base))
    events.isTracked = record.traits.contains(.tracked)
    events.tracksReason = record.traits.contains(.tracksReason)
    events.debuggedUntil = record.debuggedUntil
    reason = snapshot.reason(of: flag)
    prerequisites = record.prerequisiteCount > 0 ? snapshot.prerequisites(of: flag) : []
  }
}

extension CounterIdentity {
  init(_ flag: UnsafePointer<LaunchDarklyFlagRecord>) {
    let traits = flag.pointee.traits
    variation = traits.contains(.hasVariation) ? flag.pointee.variation : nil
    version =
      traits.contains(.hasFlagVersion)
      ? flag.pointee.flagVersion : traits.contains(.hasVersion) ? flag.pointee.version : nil
  }
}
