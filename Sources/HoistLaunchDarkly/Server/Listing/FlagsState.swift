internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Which flags a state of all flags has, and what it says of them (protocols/launchdarkly-server.md 6).
public struct FlagsStateOptions: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Only those that browsers may have.
  public static let clientSideOnly = FlagsStateOptions(rawValue: 1)
  public static let withReasons = FlagsStateOptions(rawValue: 2)
  public static let detailsOnlyForTrackedFlags = FlagsStateOptions(rawValue: 4)
}

/// The values of all flags for one context, as browsers begin with them.
struct FlagsState {
  private let options: FlagsStateOptions
  private let now: Int64
  private var writer = JSONWriter()
  private var meta = JSONWriter()

  /// Where there are no flags, or no context.
  static let invalid = Array(#"{"$flagsState":{},"$valid":false}"#.utf8)

  /// - Parameter now: milliseconds since 1970.
  static func json(_ snapshot: Snapshot, _ context: FrozenContext?, _ options: FlagsStateOptions, now: Int64) -> [UInt8] {
    var state = FlagsState(options: options, now: now)
    return state.json(snapshot, context) ?? invalid
  }

  private init(options: FlagsStateOptions, now: Int64) {
    self.options = options
    self.now = now
  }

  private mutating func json(_ snapshot: Snapshot, _ context: FrozenContext?) -> [UInt8]? {
    writer.beginObject()
    meta.beginObject()
    for index in 0..<snapshot.flagCount {
      let flag = snapshot.serverFlag(snapshot.record(at: index))
      if options.contains(.clientSideOnly), !flag.pointee.traits.contains(.clientSide) { continue }
      guard var evaluator = ServerEvaluator(snapshot.base, context?.base, PrerequisiteList(of: flag)) else { return nil }
      var result = evaluator.evaluate(flag)
      if evaluator.budget.isExceeded { result = ServerResult(variation: -1, reason: ServerReason(kind: .error)) }
      write(flag, result, evaluator.watch.direct, snapshot)
    }
    meta.endObject()
    writer.member("$flagsState", raw: meta.bytes)
    writer.member("$valid", true)
    writer.endObject()
    return writer.bytes
  }

  private mutating func write(
    _ flag: UnsafePointer<ServerFlagRecord>, _ result: ServerResult, _ prerequisites: [UnsafePointer<PrerequisiteRecord>],
    _ snapshot: Snapshot
  ) {
    let (base, record) = (snapshot.base, flag.pointee)
    writer.key(utf8: snapshot.name(of: flag).bindMemory(to: UInt8.self))
    if result.variation >= 0 {
      writer.raw(base.at(record.variations.first.at(Int(result.variation))).pointee.json.bytes(base))
    } else {
      writer.null()
    }
    let isExperiment = result.reason.isTracked
    let isTracked = isExperiment || record.traits.contains(.tracked)
    let isDebugged = record.traits.contains(.hasDebugDate) && record.debuggedUntil > now
    let isBrief = options.contains(.detailsOnlyForTrackedFlags) && !isTracked && !isDebugged
    meta.key(utf8: snapshot.name(of: flag).bindMemory(to: UInt8.self))
    meta.beginObject()
    if result.variation >= 0 { meta.member("variation", result.variation) }
    if !isBrief { meta.member("version", record.version) }
    if !isBrief, isExperiment || options.contains(.withReasons) {
      meta.key("reason")
      result.reason.write(to: &meta, base)
    }
    if isTracked { meta.member("trackEvents", true) }
    if isExperiment { meta.member("trackReason", true) }
    if record.traits.contains(.hasDebugDate) { meta.member("debugEventsUntilDate", record.debuggedUntil) }
    if !prerequisites.isEmpty {
      meta.array("prerequisites") { meta in
        for prerequisite in prerequisites { meta.string(prerequisite.pointee.key.text.bytes(base)) }
      }
    }
    meta.endObject()
  }
}
