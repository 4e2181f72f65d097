internal import HoistBase
internal import HoistCore

/// The segments that are being looked at, from the innermost on.
struct SegmentChain {
  let segment: UnsafePointer<ServerSegmentRecord>
  let outer: UnsafePointer<SegmentChain>?

  func contains(_ other: UnsafePointer<ServerSegmentRecord>) -> Bool {
    if segment == other { return true }
    var link = outer
    while let here = link {
      if here.pointee.segment == other { return true }
      link = here.pointee.outer
    }
    return false
  }
}

/// Segments (protocols/launchdarkly-server.md 4.7, 4.8).
extension ServerEvaluator {
  /// One that is not known has nothing in it.
  @inline(never)
  mutating func isInAny(_ keys: RecordList<NameRecord>, _ outer: UnsafePointer<SegmentChain>?) -> Bool {
    for key in keys.records(base) {
      guard enter() else { return false }
      defer { leave() }
      guard let segment = Snapshot(base).segment(key.text.bytes(base), hash: key.hash) else { continue }
      if outer?.pointee.contains(segment) ?? false {
        isMalformed = true
        return false
      }
      let isIn = isIn(segment, outer)
      if hasEnded { return false }
      if isIn { return true }
    }
    return false
  }

  private mutating func isIn(_ segment: UnsafePointer<ServerSegmentRecord>, _ outer: UnsafePointer<SegmentChain>?) -> Bool {
    if segment.pointee.isUnbounded {
      guard let part = bigSegmentPart(segment) else { return false }
      if let known = bigSegment(segment, part) { return known }
    } else if let listed = listed(in: segment) {
      return listed
    }
    let rules = segment.pointee.rules.records(base)
    guard budget.spend(rules.count) else { return false }
    return withUnsafePointer(to: SegmentChain(segment: segment, outer: outer)) { chain in
      for rule in rules {
        if allHold(rule.clauses, chain), isWithinWeight(rule) { return true }
        if hasEnded { return false }
      }
      return false
    }
  }

  /// What the lists say; nil when the context is in none of them.
  private mutating func listed(in segment: UnsafePointer<ServerSegmentRecord>) -> Bool? {
    let users = KindRecord(name: NameRecord(), isUser: true)
    if holds(segment.pointee.included, users) || isListed(segment.pointee.includedContexts) { return true }
    if holds(segment.pointee.excluded, users) || isListed(segment.pointee.excludedContexts) { return false }
    return nil
  }

  private mutating func isListed(_ lists: RecordList<TargetRecord>) -> Bool {
    guard budget.spend(Int(lists.count) &* 2) else { return false }
    for list in lists.records(base) where holds(list.keys, list.kind) { return true }
    return false
  }

  private mutating func isWithinWeight(_ rule: SegmentRuleRecord) -> Bool {
    if !rule.isWeighted { return true }
    let bucket = bucket(rule.bucket)
    return bucket.hasKind && !hasEnded && bucket.value < rule.weight
  }

  /// The part of the context that a store knows of; nil where there is none, or no store can know.
  private mutating func bigSegmentPart(_ segment: UnsafePointer<ServerSegmentRecord>) -> ServerContextPart? {
    guard segment.pointee.hasGeneration else {
      bigSegments = max(bigSegments, .notConfigured)
      return nil
    }
    return context.part(segment.pointee.unboundedKind, base)
  }

  /// What the store says; nil where the segment's rules decide.
  private mutating func bigSegment(_ segment: UnsafePointer<ServerSegmentRecord>, _ part: ServerContextPart) -> Bool? {
    let key = part.key(&texts).text
    let answer = bigSegmentAnswer(for: key)
    bigSegments = max(bigSegments, answer.status)
    let name = String(decoding: segment.pointee.key.bytes(base), as: UTF8.self)
    return answer.membership?["\(name).g\(segment.pointee.generation)"]
  }

  /// Asked for once for each key.
  private mutating func bigSegmentAnswer(for key: ByteView) -> BigSegmentAnswer {
    if let known = answers?.first(where: { entry in entry.key.withBytes { $0.hasSameBytes(as: key) } }) { return known.answer }
    let store = ServerResources.of(Snapshot(base))?.bigSegments
    let answer = (isRepeated ? store?.recall(key) : store?.answer(for: key)) ?? .notConfigured
    answers = (answers ?? []) + [(Array(key), answer)]
    return answer
  }
}
