internal import HoistBase
internal import HoistJSON

/// What was evaluated in one period (4.4.5): the first default of each flag, and how often each variation of each
/// version was served.
///
/// Counting and noting are apart, for counts come from cells: a counter that has been counted, but not noted yet, is not
/// reported before it is.
struct EvaluationSummary {
  /// Flags of one summary; evaluations of further ones are dropped and counted.
  static let maximumFlags = 100_000

  struct Counter {
    let identity: CounterIdentity
    /// JSON text of the first result; nil until it is noted.
    var value: [UInt8]?
    var count: UInt64 = 0
  }

  struct Flag {
    let key: [UInt8]
    /// JSON text of the first default; nil for null, and until it is noted.
    var fallback: [UInt8]?
    var isNoted = false
    /// JSON strings.
    var kinds: [[UInt8]] = []
    var counters: [Counter] = []
    /// The next flag whose key has the same hash; -1 for none.
    var next = -1
  }

  private(set) var flags: [Flag] = []
  private var firstOfHash: [UInt64: Int] = [:]
  /// Milliseconds since 1970.
  private(set) var start: Int64
  /// Evaluations that found no room.
  private(set) var overflow: UInt64 = 0

  init(startUnixMilliseconds: Int64) { start = startUnixMilliseconds }

  /// The period is no longer than its evaluations: it begins with the first.
  mutating func beginsAtFirst(_ unixMilliseconds: Int64) { if flags.isEmpty { start = unixMilliseconds } }

  /// What an evaluation was, if it is the first of its flag or of its counter.
  mutating func note(
    _ key: ByteView, _ identity: CounterIdentity, kinds: [[UInt8]], result: ByteView?, fallback: ByteView?
  ) {
    guard let place = place(of: key) else { return }
    if !flags[place].isNoted {
      flags[place].isNoted = true
      flags[place].fallback = fallback.map { Array($0) }
    }
    for kind in kinds where !flags[place].kinds.contains(kind) { flags[place].kinds.append(kind) }
    let counter = counter(identity, of: place)
    if flags[place].counters[counter].value == nil {
      flags[place].counters[counter].value = result.map { Array($0) } ?? Array("null".utf8)
    }
  }

  mutating func count(_ key: ByteView, _ identity: CounterIdentity, times: UInt64 = 1) {
    guard times > 0 else { return }
    guard let place = place(of: key) else {
      overflow &+= times
      return
    }
    let counter = counter(identity, of: place)
    let (sum, isTooMany) = flags[place].counters[counter].count.addingReportingOverflow(times)
    flags[place].counters[counter].count = isTooMany ? .max : sum
  }

  private func find(_ key: ByteView, _ hash: UInt64) -> Int? {
    var at = firstOfHash[hash] ?? -1
    while at >= 0 {
      if flags[at].key.withUnsafeBytes({ $0.hasSameBytes(as: key) }) { return at }
      at = flags[at].next
    }
    return nil
  }

  private mutating func place(of key: ByteView) -> Int? {
    let hash = Hash64.hash(key)
    if let found = find(key, hash) { return found }
    guard flags.count < Self.maximumFlags else { return nil }
    var flag = Flag(key: Array(key))
    flag.next = firstOfHash[hash] ?? -1
    firstOfHash[hash] = flags.count
    flags.append(flag)
    return flags.count - 1
  }

  private mutating func counter(_ identity: CounterIdentity, of place: Int) -> Int {
    if let known = flags[place].counters.firstIndex(where: { $0.identity == identity }) { return known }
    flags[place].counters.append(Counter(identity: identity))
    return flags[place].counters.count - 1
  }
}

/// The end of a period.
extension EvaluationSummary {
  /// Whether there is anything to report.
  var hasReportable: Bool { flags.contains { $0.counters.contains(where: \.isReportable) } }

  /// Fills in what was counted and not noted from the period before: an evaluation that ended just after its beginning.
  mutating func complete(from previous: EvaluationSummary) {
    for place in flags.indices {
      for counter in flags[place].counters.indices where flags[place].counters[counter].isUnnoted {
        let flag = flags[place]
        guard let old = flag.key.withUnsafeBytes({ previous.find($0, Hash64.hash($0)) }).map({ previous.flags[$0] }),
          let value = old.counters.first(where: { $0.identity == flag.counters[counter].identity })?.value
        else { continue }
        flags[place].counters[counter].value = value
        if !flag.isNoted {
          flags[place].isNoted = true
          flags[place].fallback = old.fallback
          flags[place].kinds = old.kinds
        }
      }
    }
  }

  /// A new period with the counts that nothing is known about yet.
  func remainder(startUnixMilliseconds: Int64) -> EvaluationSummary {
    var rest = EvaluationSummary(startUnixMilliseconds: startUnixMilliseconds)
    for flag in flags {
      for counter in flag.counters where counter.isUnnoted {
        flag.key.withUnsafeBytes { rest.count($0, counter.identity, times: counter.count) }
      }
    }
    return rest
  }

  /// The summary event.
  /// - Parameter context: JSON text of the only context it covers (LD-90); nil for all together.
  func event(endUnixMilliseconds: Int64, context: [UInt8]? = nil) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 256 + flags.count * 128)
    writer.verbatim(#"{"kind":"summary","startDate":"#)
    writer.int(start)
    writer.verbatim(#","endDate":"#)
    writer.int(max(endUnixMilliseconds, start))
    if let context {
      writer.verbatim(#","context":"#)
      writer.raw(context)
    }
    writer.verbatim(#","features":{"#)
    for flag in flags where flag.counters.contains(where: \.isReportable) {
      flag.key.withUnsafeBufferPointer { writer.key(utf8: $0) }
      flag.write(to: &writer)
    }
    writer.verbatim("}}")
    return writer.bytes
  }
}

extension EvaluationSummary.Counter {
  var isReportable: Bool { count > 0 && value != nil }
  var isUnnoted: Bool { count > 0 && value == nil }
}

extension EvaluationSummary.Flag {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let fallback {
        writer.key("default")
        writer.raw(fallback)
      }
      writer.key("contextKinds")
      writer.array { writer in for kind in kinds { writer.raw(kind) } }
      writer.key("counters")
      writer.array { writer in
        for counter in counters where counter.isReportable { counter.write(to: &writer) }
      }
    }
  }
}

extension EvaluationSummary.Counter {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("value")
      writer.raw(value ?? [])
      if let variation = identity.variation {
        writer.key("variation")
        writer.int(variation)
      }
      if let version = identity.version {
        writer.key("version")
        writer.int(version)
      } else {
        writer.key("unknown")
        writer.bool(true)
      }
      writer.key("count")
      writer.int(count)
    }
  }
}
