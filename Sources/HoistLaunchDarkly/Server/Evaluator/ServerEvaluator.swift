internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Who is told of prerequisites while a flag is evaluated.
protocol PrerequisiteWatch {
  /// One is about to be looked at; also one that does not exist.
  mutating func looks(at prerequisite: UnsafePointer<PrerequisiteRecord>, of flag: UnsafePointer<ServerFlagRecord>)
  /// One was evaluated to its end.
  mutating func evaluated(
    _ flag: UnsafePointer<ServerFlagRecord>, _ result: ServerResult, for dependent: UnsafePointer<ServerFlagRecord>)
}

/// Where a context lies between 0 and 1.
struct Bucket {
  var value: Double
  /// The context has a part of the kind that is asked for.
  var hasKind = true

  static let noKind = Bucket(value: 0, hasKind: false)
}

/// Leaves nothing behind in the machine code.
struct NoWatch: PrerequisiteWatch {
  @inline(__always)
  func looks(at prerequisite: UnsafePointer<PrerequisiteRecord>, of flag: UnsafePointer<ServerFlagRecord>) {}
  @inline(__always)
  func evaluated(_ flag: UnsafePointer<ServerFlagRecord>, _ result: ServerResult, for dependent: UnsafePointer<ServerFlagRecord>)
  {}
}

/// Evaluates flags of a snapshot of rules for one context: a reader of raw memory, which takes memory of its own only for
/// texts with escapes and for big segments (protocols/launchdarkly-server.md 4).
struct ServerEvaluator<Watch: PrerequisiteWatch>: ~Copyable {
  let base: UnsafeRawPointer
  let context: ServerContext
  var texts: TextArena
  var budget = StepBudget()
  /// Something was reached that makes the flag that was asked for malformed, however deep it lies.
  var isMalformed = false
  /// Flags and segments inside one another.
  private var depth = 0
  var bigSegments = BigSegmentsStatus.unasked
  /// Nil before one was asked for.
  var answers: [(key: [UInt8], answer: BigSegmentAnswer)]?
  /// An evaluation is gone through once more.
  var isRepeated = false
  var watch: Watch

  /// - Returns: nil for what the service calls no context.
  init?(_ base: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ watch: Watch) {
    var texts = TextArena()
    guard let context = ServerContext(context, &texts) else { return nil }
    self.base = base
    self.context = context
    self.texts = texts
    self.watch = watch
  }

  @inline(__always)
  var hasEnded: Bool { isMalformed || budget.isExceeded }

  /// - Returns: of no meaning where the budget is exceeded.
  mutating func evaluate(_ flag: UnsafePointer<ServerFlagRecord>) -> ServerResult {
    var result = decide(flag, nil)
    if isMalformed { return .malformed }
    result.reason.bigSegments = bigSegments
    return result
  }

  /// The flags that are being evaluated, from the innermost on.
  fileprivate struct Chain {
    let flag: UnsafePointer<ServerFlagRecord>
    let outer: UnsafePointer<Chain>?

    func contains(_ other: UnsafePointer<ServerFlagRecord>) -> Bool {
      if flag == other { return true }
      var link = outer
      while let here = link {
        if here.pointee.flag == other { return true }
        link = here.pointee.outer
      }
      return false
    }
  }

  /// Off, prerequisites, targets, rules, fallthrough (4.1).
  private mutating func decide(_ flag: UnsafePointer<ServerFlagRecord>, _ outer: UnsafePointer<Chain>?) -> ServerResult {
    if !flag.pointee.traits.contains(.on) { return off(flag, ServerReason(kind: .off)) }
    if flag.pointee.prerequisites.count > 0 {
      let failed = firstFailed(of: flag, outer)
      if hasEnded { return .malformed }
      if let failed { return off(flag, ServerReason(kind: .prerequisiteFailed, place: place(of: failed))) }
    }
    if let target = target(of: flag) { return variation(target, of: flag, ServerReason(kind: .targetMatch)) }
    let rules = flag.pointee.rules.records(base)
    guard budget.spend(rules.count) else { return .malformed }
    var index = 0
    while index < rules.count {
      let holds = allHold(rules[index].clauses, nil)
      if hasEnded { return .malformed }
      if holds {
        let reason = ServerReason(
          kind: .ruleMatch, isTracked: rules[index].isTracked,
          place: flag.pointee.rules.first.at(index).offset)
        return select(rules[index].selection, of: flag, reason)
      }
      index &+= 1
    }
    let isTracked = flag.pointee.traits.contains(.tracksFallthrough)
    return select(flag.pointee.otherwise, of: flag, ServerReason(kind: .fallsThrough, isTracked: isTracked))
  }

  private func place(of record: UnsafePointer<PrerequisiteRecord>) -> UInt32 {
    UInt32(truncatingIfNeeded: UnsafeRawPointer(record) - base)
  }

  private func off(_ flag: UnsafePointer<ServerFlagRecord>, _ reason: ServerReason) -> ServerResult {
    guard flag.pointee.traits.contains(.hasOffVariation) else { return ServerResult(variation: -1, reason: reason) }
    return variation(flag.pointee.offVariation, of: flag, reason)
  }

  private func variation(_ index: Int32, of flag: UnsafePointer<ServerFlagRecord>, _ reason: ServerReason) -> ServerResult {
    0..<Int64(flag.pointee.variations.count) ~= Int64(index) ? ServerResult(variation: index, reason: reason) : .malformed
  }

  /// The first prerequisite that is not as it must be (4.2).
  @inline(never)
  private mutating func firstFailed(
    of flag: UnsafePointer<ServerFlagRecord>, _ outer: UnsafePointer<Chain>?
  ) -> UnsafePointer<PrerequisiteRecord>? {
    let first = base.at(flag.pointee.prerequisites.first)
    let chain = Chain(flag: flag, outer: outer)
    return withUnsafePointer(to: chain) { chain in
      for index in 0..<Int(flag.pointee.prerequisites.count) {
        let prerequisite = first + index
        guard enter() else { return nil }
        defer { leave() }
        let key = prerequisite.pointee.key
        guard let record = Snapshot(base).find(key.text.bytes(base), hash: key.hash) else {
          watch.looks(at: prerequisite, of: flag)
          return prerequisite
        }
        let needed = record.assumingMemoryBound(to: ServerFlagRecord.self)
        if chain.pointee.contains(needed) {
          isMalformed = true
          return nil
        }
        watch.looks(at: prerequisite, of: flag)
        let result = decide(needed, chain)
        if hasEnded { return nil }
        watch.evaluated(needed, result, for: flag)
        let isAsWanted = result.variation >= 0 && result.variation == prerequisite.pointee.variation
        if !isAsWanted || !needed.pointee.traits.contains(.on) { return prerequisite }
      }
      return nil
    }
  }

  /// Deeper than people write rules, and no deeper than a small stack has room for.
  private static var maximumDepth: Int { 128 }

  /// Goes one level deeper into flags and segments.
  mutating func enter() -> Bool {
    depth &+= 1
    if depth > Self.maximumDepth { budget = StepBudget(-1) }
    return budget.spend(StepBudget.condition)
  }

  mutating func leave() { depth &-= 1 }

  /// The variation of the first target that names the context (4.3).
  @inline(__always)
  private mutating func target(of flag: UnsafePointer<ServerFlagRecord>) -> Int32? {
    let (users, all) = (flag.pointee.targets, flag.pointee.contextTargets)
    if users.count | all.count == 0 { return nil }
    return firstTarget(all.count == 0 ? users : all, isOfUsers: all.count == 0)
  }

  @inline(never)
  private mutating func firstTarget(_ list: RecordList<TargetRecord>, isOfUsers: Bool) -> Int32? {
    guard budget.spend(Int(list.count) &* 2) else { return nil }
    let users = KindRecord(name: NameRecord(), isUser: true)
    for target in list.records(base) {
      let kind = isOfUsers ? users : target.kind
      let keys = !isOfUsers && kind.isUser && target.isEmpty ? target.usersKeys : target.keys
      if holds(keys, kind) { return target.variation }
    }
    return nil
  }

  /// Whether the key of the context's part is among keys.
  mutating func holds(_ keys: NameTable, _ kind: KindRecord) -> Bool {
    guard !keys.slots.isNone, let part = context.part(kind, base) else { return false }
    let key = part.key(&texts)
    return budget.spend(0, reading: key.text.count) && keys.find(key.text, hash: key.hash, in: base) != nil
  }

  private mutating func select(
    _ selection: SelectionRecord, of flag: UnsafePointer<ServerFlagRecord>, _ reason: ServerReason
  ) -> ServerResult {
    if selection.hasVariation { return variation(selection.variation, of: flag, reason) }
    let entries = selection.entries.records(base)
    guard let last = entries.last, budget.spend(entries.count) else { return .malformed }
    let bucket = bucket(selection.bucket)
    if hasEnded { return .malformed }
    let entry = entries.first { bucket.value < $0.upTo } ?? last
    var reason = reason
    reason.isInExperiment = selection.isExperiment && entry.isTracked && bucket.hasKind
    reason.isTracked = reason.isTracked || reason.isInExperiment
    return variation(entry.variation, of: flag, reason)
  }

  /// Where a context lies between 0 and 1 (4.6).
  mutating func bucket(_ place: Place<BucketRecord>) -> Bucket {
    let bucket = base.at(place).pointee
    let reference = bucket.attribute.isNone ? nil : base.at(bucket.attribute)
    if let reference, reference.pointee.names.count == 0 {
      isMalformed = true
      return .noKind
    }
    guard let part = context.part(bucket.kind, base) else { return .noKind }
    let prefix = bucket.prefix.bytes(base)
    let value = reference.map { part.value($0, base, &texts) } ?? ContextValue(string: part.key(&texts).text, hash: 0)
    guard let value else { return Bucket(value: 0) }
    if value.kind == .string {
      return budget.spend(20, parsing: value.text.count) ? Bucket(value: Self.bucket(prefix, value.text)) : .noKind
    }
    guard value.kind == .number, let whole = Int64(exactly: value.number) else { return Bucket(value: 0) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONRawText.maximumNumberBytes) { digits in
      guard let start = digits.baseAddress else { return Bucket(value: 0) }
      let count = JSONRawText.writeInteger(whole, to: start)
      return Bucket(value: Self.bucket(prefix, ByteView(start: start, count: count)))
    }
  }

  /// The first 60 bits of a hash, as a part of all that there are.
  static func bucket(_ prefix: ByteView, _ value: ByteView) -> Double {
    Double(SHA1.word(of: prefix, value) &>> 4) / Double(0xFFF_FFFF_FFFF_FFFF as UInt64)
  }
}
